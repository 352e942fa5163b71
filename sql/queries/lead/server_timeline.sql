-- On which timeline the server takes writes; 0: it is a replica. Each promotion begins a new one. What
-- the control file says of it would be as old as the last checkpoint.
SELECT CASE WHEN pg_is_in_recovery() THEN 0
       ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint
       END AS timeline;
