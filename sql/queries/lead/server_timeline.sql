-- Returns the timeline to which the server writes; 0: it is a replica. Each promotion begins a new one.
-- The control file is not used because its timeline is as old as the last checkpoint.
SELECT CASE WHEN pg_is_in_recovery() THEN 0
       ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint
       END AS timeline;
