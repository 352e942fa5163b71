-- Partitions of the history, a year ahead. Those that somebody's lock keeps from being made now are made
-- the next time.
SELECT set_config('lock_timeout', '10s', true), cox.create_event_partitions(now(), 12);
