-- The flags are those of common/cluster/reservation_flags.h, in that order.
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
                            CASE WHEN r.static_alloc THEN 'STATIC' END,
                            CASE WHEN r.replace_down THEN 'REPLACE_DOWN' END,
                            CASE WHEN r.recurrence <> 'none' THEN upper(r.recurrence::text) END,
                            CASE WHEN r.purge_idle_s > 0 THEN 'PURGE_COMP=' ||
                              CASE WHEN r.purge_idle_s >= 86400
                                   THEN r.purge_idle_s / 86400 || '-' ELSE '' END ||
                              to_char(r.purge_idle_s % 86400 * interval '1 second', 'HH24:MI:SS')
                            END], NULL) AS flags,
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
COMMENT ON VIEW cox.reservations IS 'Advance reservations, and the jobs that asked for them.';
COMMENT ON COLUMN cox.reservations.name IS 'The name for --reservation.';
COMMENT ON COLUMN cox.reservations.state IS 'ACTIVE, or INACTIVE outside of its time.';
COMMENT ON COLUMN cox.reservations.begin_at IS
  'Begin of the present or next occurrence.';
COMMENT ON COLUMN cox.reservations.end_at IS 'End of that occurrence.';
COMMENT ON COLUMN cox.reservations.duration IS 'How long it lasts.';
COMMENT ON COLUMN cox.reservations.recurrence IS 'How it recurs.';
COMMENT ON COLUMN cox.reservations.node_count IS 'Number of its nodes.';
COMMENT ON COLUMN cox.reservations.nodes IS 'Its nodes.';
COMMENT ON COLUMN cox.reservations.flags IS
  'The flags, as scontrol shows them.';
COMMENT ON COLUMN cox.reservations.users IS
  'Users who may use it; after a -: users who may not; empty: any user.';
COMMENT ON COLUMN cox.reservations.accounts IS 'Accounts whose jobs may use it, likewise.';
COMMENT ON COLUMN cox.reservations.qos IS 'QOSes whose jobs may use it, likewise.';
COMMENT ON COLUMN cox.reservations.running IS 'Running jobs that asked for it.';
COMMENT ON COLUMN cox.reservations.waiting IS 'Pending jobs that asked for it.';
COMMENT ON COLUMN cox.reservations.changed_at IS 'When it was created or last changed.';
COMMENT ON COLUMN cox.reservations.changed_by IS 'The user who did that.';
