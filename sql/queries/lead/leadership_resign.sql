-- At a clean end: the others need not wait for the lease's.
UPDATE cox.leadership SET ends_at = clock_timestamp() WHERE holder = $1;
