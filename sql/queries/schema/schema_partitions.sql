-- Creates the monthly partitions of cox.job_event for a year ahead. Waits at most 10 s for each
-- lock. A partition that cannot get its lock is created the next time that a controller starts.
SELECT set_config('lock_timeout', '10s', true), cox.create_event_partitions(now(), 12);
