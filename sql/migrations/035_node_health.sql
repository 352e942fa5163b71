-- The health of nodes: who keeps work away from them, how often they fell silent, what failed there.
CREATE TYPE cox.drained_by AS ENUM
  ('nobody', 'person', 'health_check', 'failures', 'kill_task');
COMMENT ON TYPE cox.drained_by IS 'Who keeps new work away from a node.';

ALTER TABLE cox.node
  ADD COLUMN drained_by cox.drained_by NOT NULL DEFAULT 'nobody',
  ADD COLUMN returned_at timestamptz[] NOT NULL DEFAULT '{}',
  ADD COLUMN failure_jobs bigint[] NOT NULL DEFAULT '{}',
  ADD COLUMN failure_at timestamptz[] NOT NULL DEFAULT '{}';
UPDATE cox.node SET drained_by = 'person' WHERE drained;
ALTER TABLE cox.node
  ADD CONSTRAINT node_drained_by CHECK (drained = (drained_by <> 'nobody')),
  ADD CONSTRAINT node_failures CHECK (cardinality(failure_jobs) = cardinality(failure_at));
COMMENT ON COLUMN cox.node.drained IS 'It gets no new work: cox resume NODE.';
COMMENT ON COLUMN cox.node.responding IS
  'Heard from within node_timeout, and by enough good heartbeats since it was not.';
COMMENT ON COLUMN cox.node.drained_by IS
  'Who drained it. health_check: its worker, until the check passes again. failures, kill_task: the '
  'controller, until somebody resumes it.';
COMMENT ON COLUMN cox.node.returned_at IS
  'When it came back from silence, lately, the oldest first: the more often, the more good '
  'heartbeats are wanted the next time.';
COMMENT ON COLUMN cox.node.failure_jobs IS
  'Whose attempts failed there lately for the node''s reasons, each job once, of an array its id; '
  '0: the node itself was lost.';
COMMENT ON COLUMN cox.node.failure_at IS 'When, in the same order.';

CREATE TABLE cox.node_event (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  node text NOT NULL REFERENCES cox.node (name),
  at timestamptz NOT NULL,
  what text NOT NULL,
  why text NOT NULL,
  actor text NOT NULL
);
CREATE INDEX node_event_of_a_node ON cox.node_event (node, sequence);
COMMENT ON TABLE cox.node_event IS 'What became of nodes, append-only.';
COMMENT ON COLUMN cox.node_event.sequence IS 'In the order in which it happened.';
COMMENT ON COLUMN cox.node_event.node IS 'Its name.';
COMMENT ON COLUMN cox.node_event.at IS 'When.';
COMMENT ON COLUMN cox.node_event.what IS
  'What: not responding, returned, drained, resumed, failure, forgiven.';
COMMENT ON COLUMN cox.node_event.why IS 'Why, for people.';
COMMENT ON COLUMN cox.node_event.actor IS 'Who did it, or said it.';

ALTER TABLE cox.job ADD COLUMN held_why text NOT NULL DEFAULT '';
COMMENT ON COLUMN cox.job.held_why IS
  'Why the controller holds it: it cannot be launched anywhere. Empty: nobody or a person does.';
ALTER TYPE cox.job_move ADD ATTRIBUTE held_why text;

CREATE OR REPLACE VIEW cox.waiting AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition,
         j.nodes + cox.of_components(j.components, 'nodes') AS nodes,
         j.tasks + cox.of_components(j.components, 'tasks') AS tasks,
         CASE WHEN j.held AND j.held_why <> '' THEN 'JobHoldMaxRequeue'
              WHEN j.held THEN 'JobHeldUser'
              WHEN cardinality(j.dependency_on) > 0 THEN
                CASE WHEN CASE WHEN j.dependency LIKE '%?%' THEN true = ALL (j.dependency_never)
                               ELSE true = ANY (j.dependency_never) END
                     THEN 'DependencyNeverSatisfied' ELSE 'Dependency' END
              WHEN j.eligible_at > now() THEN 'BeginTime'
              ELSE coalesce(w.reason, 'Priority') END AS reason,
         CASE WHEN j.held AND j.held_why <> '' THEN j.held_why
              WHEN j.held THEN 'held by a person'
              WHEN w.reason = 'DependencyNeverSatisfied' THEN w.detail
              WHEN cardinality(j.dependency_on) > 0 THEN 'depends on ' || j.dependency
              WHEN j.eligible_at > now() THEN 'begins not before ' || j.eligible_at || coalesce(
                (SELECT ': ' || d.delay_s / 60 || ' min after job ' || d.on_job
                        || CASE WHEN d.on_task < 0 THEN '' ELSE '_' || d.on_task END || ' began'
                   FROM cox.delays_of(j) d ORDER BY d.due_at DESC LIMIT 1), '')
              WHEN w.job_id IS NULL THEN 'not judged yet'
              ELSE w.detail END AS detail,
         CASE WHEN j.eligible_at > now() THEN j.eligible_at ELSE w.expected_start_at END
           AS expected_start_at,
         date_trunc('second', greatest(interval '0', now() - j.eligible_at)) AS waiting,
         coalesce(w.lines, '{}') AS lines, w.first_judged_at, w.last_judged_at,
         nullif(j.array_job, 0) AS array_job, nullif(j.array_task, -1) AS array_task,
         j.array_tasks
    FROM cox.job j
    LEFT JOIN cox.job_wait w ON w.job_id = j.id
    LEFT JOIN cox.qos q ON q.name = j.qos
    WHERE j.state = 'PENDING'
    ORDER BY q.tier DESC NULLS LAST, j.eligible_at, j.id;

-- Each failure counts one, and half as much each hour later.
CREATE FUNCTION cox.failure_score(failure_at timestamptz[], at timestamptz) RETURNS double precision
  LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(power(0.5, greatest(extract(epoch FROM at - one), 0) / 3600)), 0)
    FROM unnest(failure_at) AS one
$$;
COMMENT ON FUNCTION cox.failure_score(timestamptz[], timestamptz) IS
  'What the failures of a node come to at a time: see failures_to_avoid and failures_to_drain.';

CREATE OR REPLACE VIEW cox.nodes AS
  SELECT n.name,
         CASE WHEN NOT n.responding THEN 'DOWN'
              WHEN n.drained AND count(a.job_id) > 0 THEN 'DRAINING'
              WHEN n.drained THEN 'DRAINED' WHEN count(a.job_id) = 0 THEN 'IDLE'
              WHEN coalesce(sum(u.cpus), 0) >= n.cpus THEN 'ALLOCATED' ELSE 'MIXED' END AS state,
         n.cpus, coalesce(sum(u.cpus), 0)::bigint AS cpus_used,
         n.memory_mb,
         coalesce(sum(g.memory_mb), 0)::bigint AS memory_mb_used,
         cardinality(n.gpu_index) AS gpus,
         (SELECT count(DISTINCT one) FROM cox.attempt b
            JOIN cox.attempt_node h ON h.job_id = b.job_id AND h.attempt = b.attempt
            CROSS JOIN LATERAL unnest(h.gpus) one
            WHERE h.node = n.name AND b.ended_at IS NULL) AS gpus_used,
         array_remove(array_agg(a.job_id ORDER BY a.job_id), NULL) AS jobs,
         n.features, n.reason, n.address, n.version, n.changed_at,
         n.drained_by, cox.failure_score(n.failure_at, now()) AS failure_score
    FROM cox.node n
    LEFT JOIN (cox.attempt a JOIN cox.attempt_node g
                 ON g.job_id = a.job_id AND g.attempt = a.attempt
               CROSS JOIN LATERAL (
                 SELECT CASE WHEN a.suspended AND g.suspension >= a.suspension
                             THEN 0 ELSE g.cpus END AS cpus) u)
      ON g.node = n.name AND a.ended_at IS NULL
    GROUP BY n.name
    ORDER BY n.name;
COMMENT ON COLUMN cox.nodes.drained_by IS 'Who keeps new work away from it.';
COMMENT ON COLUMN cox.nodes.failure_score IS
  'What has failed there lately for its own reasons: one for each, half as much each hour later.';

SELECT cox.grant_reader();
