-- What administrators look at, and the role they look with. Intervals are as of now.

CREATE VIEW cox.queue AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition, j.tasks, j.nodes,
         CASE WHEN j.state = 'PENDING' THEN date_trunc('second', now() - j.eligible_at) END
           AS waiting,
         CASE WHEN j.state IN ('RUNNING', 'SIGNALING', 'COMPLETING')
              THEN date_trunc('second', now() - a.went_at) END AS elapsed,
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
COMMENT ON VIEW cox.queue IS
  'The live queue: jobs that have not ended, the most urgent and oldest first.';
COMMENT ON COLUMN cox.queue.id IS 'The job.';
COMMENT ON COLUMN cox.queue.state IS 'Where it stands.';
COMMENT ON COLUMN cox.queue.name IS 'Its name.';
COMMENT ON COLUMN cox.queue.user_name IS 'Whose it is.';
COMMENT ON COLUMN cox.queue.qos IS 'Its tier.';
COMMENT ON COLUMN cox.queue.partition IS 'Its partition.';
COMMENT ON COLUMN cox.queue.tasks IS 'Tasks asked for.';
COMMENT ON COLUMN cox.queue.nodes IS 'Nodes asked for.';
COMMENT ON COLUMN cox.queue.waiting IS 'How long it has been waiting; null when it is not.';
COMMENT ON COLUMN cox.queue.elapsed IS 'How long its present attempt has run; null when none runs.';
COMMENT ON COLUMN cox.queue.time_limit IS 'Its time limit; null: none.';
COMMENT ON COLUMN cox.queue.node_list IS 'The nodes its live attempt holds.';
COMMENT ON COLUMN cox.queue.saved_step IS 'The newest committed checkpoint it can resume from.';
COMMENT ON COLUMN cox.queue.attempt IS 'The newest attempt.';
COMMENT ON COLUMN cox.queue.held IS 'A person holds it back.';
COMMENT ON COLUMN cox.queue.why IS 'The reason of its last change of state.';
COMMENT ON COLUMN cox.queue.submitted_at IS 'When it was accepted.';

CREATE VIEW cox.nodes AS
  SELECT n.name,
         CASE WHEN NOT n.responding THEN 'DOWN'
              WHEN n.drained AND count(a.job_id) > 0 THEN 'DRAINING'
              WHEN n.drained THEN 'DRAINED' WHEN count(a.job_id) = 0 THEN 'IDLE'
              WHEN coalesce(sum(g.cpus), 0) >= n.cpus THEN 'ALLOCATED' ELSE 'MIXED' END AS state,
         n.cpus, coalesce(sum(g.cpus), 0)::bigint AS cpus_used,
         n.memory_mb,
         coalesce(sum(g.memory_mb), 0)::bigint AS memory_mb_used,
         cardinality(n.gpu_index) AS gpus,
         coalesce(sum(cardinality(g.gpus)), 0)::bigint AS gpus_used,
         array_remove(array_agg(a.job_id ORDER BY a.job_id), NULL) AS jobs,
         n.features, n.reason, n.address, n.version, n.changed_at
    FROM cox.node n
    LEFT JOIN (cox.attempt a JOIN cox.attempt_node g
                 ON g.job_id = a.job_id AND g.attempt = a.attempt)
      ON g.node = n.name AND a.ended_at IS NULL
    GROUP BY n.name
    ORDER BY n.name;
COMMENT ON VIEW cox.nodes IS
  'The nodes: what they have, what of it is granted, and to whom.';
COMMENT ON COLUMN cox.nodes.name IS 'The node.';
COMMENT ON COLUMN cox.nodes.state IS
  'IDLE, MIXED, ALLOCATED, DRAINING, DRAINED, or DOWN when it does not respond.';
COMMENT ON COLUMN cox.nodes.cpus IS 'CPUs it has.';
COMMENT ON COLUMN cox.nodes.cpus_used IS 'CPUs granted to live attempts.';
COMMENT ON COLUMN cox.nodes.memory_mb IS 'Memory it has, in MiB.';
COMMENT ON COLUMN cox.nodes.memory_mb_used IS 'Memory granted to live attempts, in MiB.';
COMMENT ON COLUMN cox.nodes.gpus IS 'GPUs it has.';
COMMENT ON COLUMN cox.nodes.gpus_used IS 'GPUs granted to live attempts.';
COMMENT ON COLUMN cox.nodes.jobs IS 'The jobs that hold room on it.';
COMMENT ON COLUMN cox.nodes.features IS 'Features that --constraint can name.';
COMMENT ON COLUMN cox.nodes.reason IS 'Of the drain or the silence.';
COMMENT ON COLUMN cox.nodes.address IS 'Numeric address.';
COMMENT ON COLUMN cox.nodes.version IS 'Its workers version.';
COMMENT ON COLUMN cox.nodes.changed_at IS 'When its row last changed.';

CREATE VIEW cox.attempts AS
  SELECT a.job_id, a.state, a.attempt, j.name, j.user_name,
         (SELECT array_agg(n.node ORDER BY n.position) FROM cox.attempt_node n
            WHERE n.job_id = a.job_id AND n.attempt = a.attempt) AS node_list,
         a.resume_attempt, a.resume_step, a.began_at, a.went_at, a.ended_at,
         date_trunc('second', coalesce(a.ended_at, now()) - a.went_at) AS ran,
         nullif(a.stop_why, 'none') AS stop_why, a.stop_asked_at, a.outcome
    FROM cox.attempt a JOIN cox.job j ON j.id = a.job_id
    ORDER BY a.job_id DESC, a.attempt DESC;
COMMENT ON VIEW cox.attempts IS
  'Every try at running a job, the newest first.';
COMMENT ON COLUMN cox.attempts.job_id IS 'The job.';
COMMENT ON COLUMN cox.attempts.state IS 'preparing, running, stopping or ended.';
COMMENT ON COLUMN cox.attempts.attempt IS 'Which try, from 1.';
COMMENT ON COLUMN cox.attempts.name IS 'The job''s name.';
COMMENT ON COLUMN cox.attempts.user_name IS 'Whose job it is.';
COMMENT ON COLUMN cox.attempts.node_list IS 'Its nodes, in order.';
COMMENT ON COLUMN cox.attempts.resume_attempt IS
  'The attempt whose checkpoint it resumed from; null: from the start.';
COMMENT ON COLUMN cox.attempts.resume_step IS 'The step it resumed from.';
COMMENT ON COLUMN cox.attempts.began_at IS 'When it began to prepare.';
COMMENT ON COLUMN cox.attempts.went_at IS 'When its ranks were let go; null: never.';
COMMENT ON COLUMN cox.attempts.ended_at IS 'When nothing of it was left; null: it is live.';
COMMENT ON COLUMN cox.attempts.ran IS 'How long it ran, or has run.';
COMMENT ON COLUMN cox.attempts.stop_why IS 'Why it was asked to stop; null: it was not.';
COMMENT ON COLUMN cox.attempts.stop_asked_at IS 'When it was asked to stop.';
COMMENT ON COLUMN cox.attempts.outcome IS 'How it ended.';

CREATE VIEW cox.checkpoints AS
  SELECT c.job_id, CASE WHEN c.damaged THEN 'damaged'
                        WHEN c.pruned THEN 'pruned' ELSE 'good' END AS state,
         c.attempt, c.step, pg_size_pretty(c.bytes) AS size, c.files, c.committed_at, j.name,
         j.user_name
    FROM cox.checkpoint c JOIN cox.job j ON j.id = c.job_id
    ORDER BY c.committed_at DESC, c.job_id, c.step DESC;
COMMENT ON VIEW cox.checkpoints IS
  'Committed checkpoints, the newest first, and whether a job can resume from them.';
COMMENT ON COLUMN cox.checkpoints.job_id IS 'The job.';
COMMENT ON COLUMN cox.checkpoints.state IS
  'good: it can be resumed from; damaged: it did not verify; pruned: its files are removed.';
COMMENT ON COLUMN cox.checkpoints.attempt IS 'The attempt that saved it.';
COMMENT ON COLUMN cox.checkpoints.step IS 'The step.';
COMMENT ON COLUMN cox.checkpoints.size IS 'Bytes of all ranks together, for people.';
COMMENT ON COLUMN cox.checkpoints.files IS 'Files of all ranks together.';
COMMENT ON COLUMN cox.checkpoints.committed_at IS 'When it became a fact.';
COMMENT ON COLUMN cox.checkpoints.name IS 'The job''s name.';
COMMENT ON COLUMN cox.checkpoints.user_name IS 'Whose job it is.';

CREATE VIEW cox.events AS
  SELECT e.sequence, e.state, e.at, e.job_id, e.attempt, e.what, e.why, e.actor
    FROM cox.job_event e
    ORDER BY e.sequence DESC;
COMMENT ON VIEW cox.events IS
  'The history of all jobs, the newest first: add LIMIT, or WHERE job_id = ….';
COMMENT ON COLUMN cox.events.sequence IS 'The order in which things became true.';
COMMENT ON COLUMN cox.events.state IS 'The job''s state once this was true.';
COMMENT ON COLUMN cox.events.at IS 'When.';
COMMENT ON COLUMN cox.events.job_id IS 'The job.';
COMMENT ON COLUMN cox.events.attempt IS 'The attempt; 0: before the first.';
COMMENT ON COLUMN cox.events.what IS 'What kind of event it is.';
COMMENT ON COLUMN cox.events.why IS 'Why, as a sentence.';
COMMENT ON COLUMN cox.events.actor IS 'Who did it.';

CREATE VIEW cox.history AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition, j.exit_code, j.exit_signal,
         j.submitted_at, j.started_at, j.ended_at,
         date_trunc('second', u.ran) AS ran, u.cpu_seconds, u.gpu_seconds, j.restarts, j.why
    FROM cox.job j
    CROSS JOIN LATERAL (
      SELECT sum(a.ended_at - a.went_at) AS ran,
             sum(extract(epoch FROM a.ended_at - a.went_at) * g.cpus)::bigint AS cpu_seconds,
             sum(extract(epoch FROM a.ended_at - a.went_at) * g.gpus)::bigint AS gpu_seconds
        FROM cox.attempt a
        CROSS JOIN LATERAL (
          SELECT sum(n.cpus) AS cpus, sum(cardinality(n.gpus)) AS gpus FROM cox.attempt_node n
            WHERE n.job_id = a.job_id AND n.attempt = a.attempt) g
        WHERE a.job_id = j.id) u
    WHERE j.ended_at IS NOT NULL
    ORDER BY j.ended_at DESC, j.id DESC;
COMMENT ON VIEW cox.history IS
  'Jobs that have ended, the newest first, with what they used.';
COMMENT ON COLUMN cox.history.id IS 'The job.';
COMMENT ON COLUMN cox.history.state IS 'How it ended.';
COMMENT ON COLUMN cox.history.name IS 'Its name.';
COMMENT ON COLUMN cox.history.user_name IS 'Whose it was.';
COMMENT ON COLUMN cox.history.qos IS 'Its tier.';
COMMENT ON COLUMN cox.history.partition IS 'Its partition.';
COMMENT ON COLUMN cox.history.exit_code IS 'Exit code of the first failing rank.';
COMMENT ON COLUMN cox.history.exit_signal IS 'Signal that ended the first failing rank.';
COMMENT ON COLUMN cox.history.submitted_at IS 'When it was accepted.';
COMMENT ON COLUMN cox.history.started_at IS 'When its last attempt started.';
COMMENT ON COLUMN cox.history.ended_at IS 'When it ended.';
COMMENT ON COLUMN cox.history.ran IS 'How long its attempts ran, together.';
COMMENT ON COLUMN cox.history.cpu_seconds IS 'CPU-seconds its attempts held while running.';
COMMENT ON COLUMN cox.history.gpu_seconds IS 'GPU-seconds its attempts held while running.';
COMMENT ON COLUMN cox.history.restarts IS 'How often it was started again.';
COMMENT ON COLUMN cox.history.why IS 'The reason of its end.';
