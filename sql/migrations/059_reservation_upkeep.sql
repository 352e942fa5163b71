-- Reservations by number replace nodes that become unusable, and may end when they are idle.
ALTER TABLE cox.reservation
  ADD COLUMN static_nodes boolean NOT NULL DEFAULT false,
  ADD COLUMN replace_down boolean NOT NULL DEFAULT false,
  ADD COLUMN purge_idle_s bigint NOT NULL DEFAULT 0 CHECK (purge_idle_s >= 0);
COMMENT ON COLUMN cox.reservation.static_nodes IS
  'Nodes that become unusable are not replaced (STATIC_ALLOC).';
COMMENT ON COLUMN cox.reservation.replace_down IS
  'The flag REPLACE_DOWN was given: nodes are replaced, as they are without it.';
COMMENT ON COLUMN cox.reservation.purge_idle_s IS
  'An occurrence ends when it had no jobs for so many seconds (PURGE_COMP); 0: never.';
COMMENT ON COLUMN cox.reservation.nodes IS
  'Its nodes. Those of a reservation by number change when some become unusable.';

CREATE OR REPLACE VIEW cox.reservations AS
  SELECT r.name,
         CASE WHEN now() BETWEEN r.begin_at AND r.end_at THEN 'ACTIVE' ELSE 'INACTIVE' END AS state,
         r.begin_at, r.end_at, r.end_at - r.begin_at AS duration, r.recurrence,
         cardinality(r.nodes) AS node_count, r.nodes,
         array_remove(ARRAY[CASE WHEN r.maint THEN 'MAINT' END,
                            CASE WHEN r.magnetic THEN 'MAGNETIC' END,
                            CASE WHEN r.flex THEN 'FLEX' END,
                            CASE WHEN r.overlap THEN 'OVERLAP' END,
                            CASE WHEN r.ignore_jobs THEN 'IGNORE_JOBS' END,
                            CASE WHEN r.static_nodes THEN 'STATIC' END,
                            CASE WHEN r.replace_down THEN 'REPLACE_DOWN' END,
                            CASE WHEN r.purge_idle_s > 0 THEN 'PURGE_COMP' END], NULL) AS flags,
         r.users, r.accounts, r.qos,
         coalesce(j.running, '{}') AS running, coalesce(j.waiting, '{}') AS waiting,
         r.changed_at, r.changed_by
    FROM cox.reservation r
    LEFT JOIN (
      SELECT reservation,
             array_agg(id ORDER BY id) FILTER (WHERE state <> 'PENDING') AS running,
             array_agg(id ORDER BY id) FILTER (WHERE state = 'PENDING') AS waiting
        FROM cox.job
        WHERE ended_at IS NULL AND reservation <> ''
        GROUP BY reservation) j ON j.reservation = r.name
    ORDER BY r.begin_at, r.name;
