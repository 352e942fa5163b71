-- Ends backends that hold the turn row and stand still, because their client has sent half a turn and no
-- more: it was paused, or cut off. No timeout of PostgreSQL's counts there. Whoever executes, or waits
-- for a lock or a replica, gets on by itself and is left alone; so is whoever only reads.
SELECT pg_terminate_backend(l.pid)
  FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE l.relation = 'cox.turn'::regclass
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.mode = 'RowExclusiveLock' AND l.granted
    AND a.wait_event_type = 'Client' AND l.pid <> pg_backend_pid();
