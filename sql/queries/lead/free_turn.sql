-- Ends backends that hold the lock of the turn row and wait for their client, which was paused or cut
-- off in the middle of a turn. No timeout of PostgreSQL applies there. Backends that execute, that wait
-- for a lock or a replica, or that only read are not ended.
SELECT pg_terminate_backend(l.pid)
  FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE l.relation = 'cox.turn'::regclass
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.mode = 'RowExclusiveLock' AND l.granted
    AND a.wait_event_type = 'Client' AND l.pid <> pg_backend_pid();
