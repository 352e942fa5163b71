-- Ends the lease of this controller at an orderly stop, so that a standby can take over at once.
UPDATE cox.leadership SET ends_at = clock_timestamp() WHERE holder = $1;
