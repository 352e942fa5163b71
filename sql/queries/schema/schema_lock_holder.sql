-- Returns the session that keeps the controller from writing, for `cox doctor`: a session for which
-- the controller waits, or one with a lock on a table of schema cox that excludes writes. Of
-- several, the one whose transaction is the oldest. `in_use_ms` is the age of the transaction; -1:
-- the role may not read it.
SELECT a.pid, coalesce(a.usename, '') AS user_name, coalesce(a.state, '') AS state,
    coalesce((extract(epoch FROM clock_timestamp() - a.xact_start) * 1000)::bigint, -1) AS in_use_ms,
    regexp_replace(left(a.query, 100), '\s+', ' ', 'g') AS query
  FROM pg_stat_activity a
  WHERE a.datname = current_database() AND a.application_name <> 'cox-controller'
    AND (a.pid IN (SELECT l.pid FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
                     WHERE l.granted AND l.locktype = 'relation'
                       AND l.database = (SELECT oid FROM pg_database
                                           WHERE datname = current_database())
                       AND c.relnamespace = to_regnamespace('cox')
                       AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock',
                                      'AccessExclusiveLock'))
         OR a.pid IN (SELECT unnest(pg_blocking_pids(w.pid)) FROM pg_stat_activity w
                        WHERE w.datname = current_database() AND w.wait_event_type = 'Lock'
                          AND w.application_name = 'cox-controller'))
  ORDER BY a.xact_start
  LIMIT 1;
