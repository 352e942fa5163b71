-- Advance reservations: nodes that are kept for some users, accounts or QOSes for a time.
CREATE TYPE cox.recurrence AS ENUM ('none', 'hourly', 'daily', 'weekly', 'weekday', 'weekend');
COMMENT ON TYPE cox.recurrence IS 'How an advance reservation comes again.';

CREATE TABLE cox.reservation (
  name text PRIMARY KEY CHECK (name <> ''),
  begin_at timestamptz NOT NULL,
  end_at timestamptz NOT NULL CHECK (end_at > begin_at),
  recurrence cox.recurrence NOT NULL,
  nodes text[] NOT NULL,
  nodes_asked text NOT NULL,
  node_count bigint NOT NULL CHECK (node_count >= 0),
  features text NOT NULL,
  tres text NOT NULL CHECK (cox.is_tres(tres)),
  partition text NOT NULL,
  users text[] NOT NULL,
  accounts text[] NOT NULL,
  qos text[] NOT NULL,
  maint boolean NOT NULL,
  magnetic boolean NOT NULL,
  flex boolean NOT NULL,
  overlap boolean NOT NULL,
  ignore_jobs boolean NOT NULL,
  changed_at timestamptz NOT NULL,
  changed_by text NOT NULL
);
COMMENT ON TABLE cox.reservation IS
  'Advance reservations that are on or to come. `cox reserve` makes and changes them.';
COMMENT ON COLUMN cox.reservation.name IS 'What --reservation names.';
COMMENT ON COLUMN cox.reservation.begin_at IS
  'When it begins, or began: of the present or next time.';
COMMENT ON COLUMN cox.reservation.end_at IS 'When it ends.';
COMMENT ON COLUMN cox.reservation.recurrence IS 'How it comes again.';
COMMENT ON COLUMN cox.reservation.nodes IS 'Its nodes, settled when it was made or changed.';
COMMENT ON COLUMN cox.reservation.nodes_asked IS
  'Nodes as they were named, or ALL; empty: they were not.';
COMMENT ON COLUMN cox.reservation.node_count IS
  'How many nodes were asked for; 0: it was not said.';
COMMENT ON COLUMN cox.reservation.features IS 'What each node had to have.';
COMMENT ON COLUMN cox.reservation.tres IS 'What they had to have together: gres/gpu=8.';
COMMENT ON COLUMN cox.reservation.partition IS 'The partition they were taken from; empty: any.';
COMMENT ON COLUMN cox.reservation.users IS
  'Who may use it; behind a - who may not; empty: anybody.';
COMMENT ON COLUMN cox.reservation.accounts IS 'Whose jobs may use it, by account, likewise.';
COMMENT ON COLUMN cox.reservation.qos IS 'Jobs of which QOS may use it, likewise.';
COMMENT ON COLUMN cox.reservation.maint IS 'It is for maintenance, and may be laid over others.';
COMMENT ON COLUMN cox.reservation.magnetic IS 'Jobs that may use it are drawn in unasked.';
COMMENT ON COLUMN cox.reservation.flex IS
  'Its jobs may also run outside of it, before and after it.';
COMMENT ON COLUMN cox.reservation.overlap IS 'It may be laid over others.';
COMMENT ON COLUMN cox.reservation.ignore_jobs IS 'It may be made where jobs run into it.';
COMMENT ON COLUMN cox.reservation.changed_at IS 'When it was made or changed last.';
COMMENT ON COLUMN cox.reservation.changed_by IS 'By whom.';

CREATE TABLE cox.reservation_event (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  reservation text NOT NULL,
  at timestamptz NOT NULL,
  what text NOT NULL,
  actor text NOT NULL
);
COMMENT ON TABLE cox.reservation_event IS 'What became of advance reservations, append-only.';
COMMENT ON COLUMN cox.reservation_event.sequence IS 'In the order in which it happened.';
COMMENT ON COLUMN cox.reservation_event.reservation IS 'Its name.';
COMMENT ON COLUMN cox.reservation_event.at IS 'When.';
COMMENT ON COLUMN cox.reservation_event.what IS
  'What: created, updated, moved on, deleted, over.';
COMMENT ON COLUMN cox.reservation_event.actor IS 'Who did it.';

CREATE VIEW cox.reservations AS
  SELECT r.name,
         CASE WHEN now() BETWEEN r.begin_at AND r.end_at THEN 'ACTIVE' ELSE 'INACTIVE' END AS state,
         r.begin_at, r.end_at, r.end_at - r.begin_at AS duration, r.recurrence,
         cardinality(r.nodes) AS node_count, r.nodes,
         array_remove(ARRAY[CASE WHEN r.maint THEN 'MAINT' END,
                            CASE WHEN r.magnetic THEN 'MAGNETIC' END,
                            CASE WHEN r.flex THEN 'FLEX' END,
                            CASE WHEN r.overlap THEN 'OVERLAP' END,
                            CASE WHEN r.ignore_jobs THEN 'IGNORE_JOBS' END], NULL) AS flags,
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
COMMENT ON COLUMN cox.reservations.name IS 'What --reservation names.';
COMMENT ON COLUMN cox.reservations.state IS 'ACTIVE while it is on.';
COMMENT ON COLUMN cox.reservations.begin_at IS
  'When it begins, or began: of the present or next time.';
COMMENT ON COLUMN cox.reservations.end_at IS 'When it ends.';
COMMENT ON COLUMN cox.reservations.duration IS 'How long it lasts.';
COMMENT ON COLUMN cox.reservations.recurrence IS 'How it comes again.';
COMMENT ON COLUMN cox.reservations.node_count IS 'How many nodes it has.';
COMMENT ON COLUMN cox.reservations.nodes IS 'Which.';
COMMENT ON COLUMN cox.reservations.flags IS 'By Slurm''s names.';
COMMENT ON COLUMN cox.reservations.users IS
  'Who may use it; behind a - who may not; empty: anybody.';
COMMENT ON COLUMN cox.reservations.accounts IS 'Whose jobs may use it, by account, likewise.';
COMMENT ON COLUMN cox.reservations.qos IS 'Jobs of which QOS may use it, likewise.';
COMMENT ON COLUMN cox.reservations.running IS 'Jobs that asked for it and run.';
COMMENT ON COLUMN cox.reservations.waiting IS 'Jobs that asked for it and wait.';
COMMENT ON COLUMN cox.reservations.changed_at IS 'When it was made or changed last.';
COMMENT ON COLUMN cox.reservations.changed_by IS 'By whom.';
SELECT cox.grant_reader();
