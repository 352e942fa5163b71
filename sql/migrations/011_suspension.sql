-- A QOS may suspend: what is preempted stands still where it is, and goes on there when its CPUs are
-- free again.
ALTER TYPE cox.preempt_mode ADD VALUE 'suspend';
-- All that are final come behind COMPLETED, which constraints rely on.
ALTER TYPE cox.job_state ADD VALUE 'SUSPENDED' BEFORE 'SIGNALING';

ALTER TABLE cox.attempt
  ADD COLUMN suspension bigint NOT NULL DEFAULT 0 CHECK (suspension >= 0),
  ADD COLUMN suspended boolean NOT NULL DEFAULT false,
  ADD COLUMN suspended_at timestamptz[] NOT NULL DEFAULT '{}',
  ADD COLUMN suspended_ms bigint NOT NULL DEFAULT 0 CHECK (suspended_ms >= 0),
  ADD COLUMN resumed_at timestamptz,
  ADD CONSTRAINT attempt_suspended_has_a_time
    CHECK (NOT suspended OR cardinality(suspended_at) > 0);
COMMENT ON COLUMN cox.attempt.suspension IS
  'Number of the newest order to stand still or to go on; 0: none was given.';
COMMENT ON COLUMN cox.attempt.suspended IS 'Whether it is to stand still.';
COMMENT ON COLUMN cox.attempt.suspended_at IS
  'When it was asked to stand still: the newest times, oldest first.';
COMMENT ON COLUMN cox.attempt.suspended_ms IS
  'Milliseconds it has stood still until it went on last; no part of its run time.';
COMMENT ON COLUMN cox.attempt.resumed_at IS 'When it went on last; null: never.';

ALTER TABLE cox.attempt_node
  ADD COLUMN suspension bigint NOT NULL DEFAULT 0 CHECK (suspension >= 0);
COMMENT ON COLUMN cox.attempt_node.suspension IS
  'Number of the newest order to stand still or to go on that is carried out on this node.';

-- By its name: a value that a transaction adds to a type may not be used in it.
ALTER TABLE cox.job
  ADD CONSTRAINT job_suspended_has_started
    CHECK (state::text <> 'SUSPENDED' OR started_at IS NOT NULL);

COMMENT ON COLUMN cox.qos.preempt_mode IS
  'What preemption does to its jobs: checkpoint: asked to save, then requeued; requeue: stopped '
  'without that and requeued; cancel: stopped, and they end PREEMPTED; suspend: they stand still, '
  'and go on when their CPUs are free again; off: never preempted.';
COMMENT ON COLUMN cox.qos.grace_ms IS
  'Milliseconds to save in, before SIGTERM (checkpoint, suspend, off); from SIGTERM to SIGKILL, 0: '
  'as kill_wait says (requeue, cancel). Slurm''s GraceTime.';

-- How long an attempt has run is told without the time it stood still.
CREATE FUNCTION cox.run_time(a cox.attempt) RETURNS interval LANGUAGE sql STABLE
  SET search_path = pg_catalog AS $$
  SELECT CASE WHEN a.went_at IS NOT NULL THEN greatest(interval '0',
    least(coalesce(a.ended_at, now()),
          CASE WHEN a.suspended THEN a.suspended_at[cardinality(a.suspended_at)] END)
    - a.went_at - a.suspended_ms * interval '1 millisecond') END
$$;
COMMENT ON FUNCTION cox.run_time(cox.attempt) IS
  'How long an attempt has run, or did, but for the time it stood still; null: it never ran.';

CREATE OR REPLACE VIEW cox.queue AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition, j.tasks, j.nodes,
         CASE WHEN j.state = 'PENDING' THEN date_trunc('second', now() - j.eligible_at) END
           AS waiting,
         CASE WHEN j.state::text IN ('RUNNING', 'SUSPENDED', 'SIGNALING', 'COMPLETING')
              THEN date_trunc('second', cox.run_time(a)) END AS elapsed,
         CASE WHEN j.time_limit_s > 0 THEN make_interval(secs => j.time_limit_s) END AS time_limit,
         (SELECT array_agg(n.node ORDER BY n.position) FROM cox.attempt_node n
            WHERE n.job_id = a.job_id AND n.attempt = a.attempt) AS node_list,
         (SELECT max(c.step) FROM cox.checkpoint c
            WHERE c.job_id = j.id AND NOT c.damaged AND NOT c.pruned) AS saved_step,
         j.attempt, j.held, j.why, j.submitted_at
    FROM cox.job j
    LEFT JOIN cox.qos q ON q.name = j.qos
    LEFT JOIN cox.attempt a ON a.job_id = j.id AND a.ended_at IS NULL
    WHERE j.ended_at IS NULL
    ORDER BY j.state = 'PENDING', q.tier DESC NULLS LAST, j.eligible_at, j.id;
COMMENT ON COLUMN cox.queue.elapsed IS
  'How long its present attempt has run, but for the time it stood still; null when none runs.';

-- What stands still holds all it was granted but its CPUs.
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
         coalesce(sum(cardinality(g.gpus)), 0)::bigint AS gpus_used,
         array_remove(array_agg(a.job_id ORDER BY a.job_id), NULL) AS jobs,
         n.features, n.reason, n.address, n.version, n.changed_at
    FROM cox.node n
    LEFT JOIN (cox.attempt a JOIN cox.attempt_node g
                 ON g.job_id = a.job_id AND g.attempt = a.attempt
               CROSS JOIN LATERAL (
                 SELECT CASE WHEN a.suspended AND g.suspension >= a.suspension
                             THEN 0 ELSE g.cpus END AS cpus) u)
      ON g.node = n.name AND a.ended_at IS NULL
    GROUP BY n.name
    ORDER BY n.name;
COMMENT ON COLUMN cox.nodes.cpus_used IS
  'CPUs granted to live attempts, but for those that stand still.';

CREATE OR REPLACE VIEW cox.attempts AS
  SELECT a.job_id, a.state, a.attempt, j.name, j.user_name,
         (SELECT array_agg(n.node ORDER BY n.position) FROM cox.attempt_node n
            WHERE n.job_id = a.job_id AND n.attempt = a.attempt) AS node_list,
         a.resume_attempt, a.resume_step, a.began_at, a.went_at, a.ended_at,
         date_trunc('second', cox.run_time(a)) AS ran,
         nullif(a.stop_why, 'none') AS stop_why, a.stop_asked_at, a.outcome
    FROM cox.attempt a JOIN cox.job j ON j.id = a.job_id
    ORDER BY a.job_id DESC, a.attempt DESC;

CREATE OR REPLACE VIEW cox.history AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition, j.exit_code, j.exit_signal,
         j.submitted_at, j.started_at, j.ended_at,
         date_trunc('second', u.ran) AS ran, u.cpu_seconds, u.gpu_seconds, j.restarts, j.why
    FROM cox.job j
    CROSS JOIN LATERAL (
      SELECT sum(cox.run_time(a)) AS ran,
             sum(extract(epoch FROM cox.run_time(a)) * g.cpus)::bigint AS cpu_seconds,
             sum(extract(epoch FROM a.ended_at - a.went_at) * g.gpus)::bigint AS gpu_seconds
        FROM cox.attempt a
        CROSS JOIN LATERAL (
          SELECT sum(n.cpus) AS cpus, sum(cardinality(n.gpus)) AS gpus FROM cox.attempt_node n
            WHERE n.job_id = a.job_id AND n.attempt = a.attempt) g
        WHERE a.job_id = j.id) u
    WHERE j.ended_at IS NOT NULL
    ORDER BY j.ended_at DESC, j.id DESC;
