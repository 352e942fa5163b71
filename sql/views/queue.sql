-- For a pending job, the column `why` is the explanation in cox.waiting; for other jobs it is
-- cox.job.why, the reason of the last change of state.
CREATE OR REPLACE VIEW cox.queue AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition,
         j.tasks + cox.of_components(j.components, 'tasks') AS tasks,
         j.nodes + cox.of_components(j.components, 'nodes') AS nodes,
         CASE WHEN j.state = 'PENDING'
              THEN date_trunc('second', greatest(interval '0', now() - j.eligible_at)) END
           AS waiting,
         CASE WHEN j.state::text IN ('RUNNING', 'SUSPENDED', 'SIGNALING', 'COMPLETING')
              THEN date_trunc('second', cox.run_time(a)) END AS elapsed,
         CASE WHEN j.time_limit_s > 0 THEN make_interval(secs => j.time_limit_s) END AS time_limit,
         (SELECT array_agg(n.node ORDER BY n.position) FROM cox.attempt_node n
            WHERE n.job_id = a.job_id AND n.attempt = a.attempt) AS node_list,
         (SELECT max(c.step) FROM cox.checkpoint c
            WHERE c.job_id = j.id AND NOT c.damaged AND NOT c.pruned
              AND NOT c.set_aside) AS saved_step,
         j.attempt, j.held,
         CASE WHEN j.state <> 'PENDING' THEN j.why
              ELSE concat_ws(': ', w.reason, nullif(w.detail, '')) END AS why,
         j.submitted_at,
         nullif(j.array_job, 0) AS array_job, nullif(j.array_task, -1) AS array_task,
         j.array_tasks, j.account,
         cox.command_id(j.id, j.array_job, j.array_task, j.array_tasks) AS job,
         CASE WHEN a.job_id IS NOT NULL THEN h.cpus
              ELSE j.tasks * j.cpus_per_task
                   + cox.of_components(j.components, 'tasks', 'cpus_per_task') END AS cpus,
         CASE WHEN a.job_id IS NOT NULL THEN h.memory_mb
              ELSE j.nodes * j.memory_mb_per_node
                   + cox.of_components(j.components, 'nodes', 'memory_mb_per_node') END
           AS memory_mb,
         trim_scale(CASE WHEN a.job_id IS NOT NULL THEN h.gpu_milli
              ELSE j.nodes * j.gpus_per_node * j.gpu_milli
                   + cox.of_components(j.components, 'nodes', 'gpus_per_node', 'gpu_milli') END
           / 1000.0) AS gpus,
         CASE WHEN j.state <> 'PENDING' THEN NULL WHEN j.held THEN 0
              ELSE cox.priority_now(r, j.eligible_at) END AS priority
    FROM cox.job j
    LEFT JOIN cox.qos q ON q.name = j.qos
    LEFT JOIN cox.attempt a ON a.job_id = j.id AND a.ended_at IS NULL
    LEFT JOIN cox.waiting w ON w.id = j.id
    LEFT JOIN cox.job_wait r ON r.job_id = j.id
    CROSS JOIN LATERAL (
      SELECT sum(n.cpus)::bigint AS cpus, sum(n.memory_mb)::bigint AS memory_mb,
             sum(cardinality(n.gpus) * n.gpu_milli)::bigint AS gpu_milli
        FROM cox.attempt_node n WHERE n.job_id = a.job_id AND n.attempt = a.attempt) h
    WHERE j.ended_at IS NULL
    ORDER BY j.state = 'PENDING', q.tier DESC NULLS LAST, j.eligible_at, j.id;
COMMENT ON VIEW cox.queue IS
  'The live queue: jobs that have not ended, the most urgent and oldest first.';
COMMENT ON COLUMN cox.queue.id IS 'The job.';
COMMENT ON COLUMN cox.queue.state IS 'Its state.';
COMMENT ON COLUMN cox.queue.name IS 'Its name.';
COMMENT ON COLUMN cox.queue.user_name IS 'Its user.';
COMMENT ON COLUMN cox.queue.qos IS 'Its QOS.';
COMMENT ON COLUMN cox.queue.partition IS 'Its partition.';
COMMENT ON COLUMN cox.queue.tasks IS 'Tasks asked for.';
COMMENT ON COLUMN cox.queue.nodes IS 'Nodes asked for.';
COMMENT ON COLUMN cox.queue.waiting IS 'How long it has been pending; null: it is not pending.';
COMMENT ON COLUMN cox.queue.elapsed IS
  'Run time of its present attempt, without suspended time; null: none runs.';
COMMENT ON COLUMN cox.queue.time_limit IS 'Its time limit; null: none.';
COMMENT ON COLUMN cox.queue.node_list IS 'The nodes of its live attempt.';
COMMENT ON COLUMN cox.queue.saved_step IS 'The training step of the newest checkpoint that it can resume from.';
COMMENT ON COLUMN cox.queue.attempt IS 'The newest attempt.';
COMMENT ON COLUMN cox.queue.held IS 'A user or an operator holds it: cox release JOB.';
COMMENT ON COLUMN cox.queue.why IS
  'For a pending job, its pending reason by Slurm''s code, with numbers unless it is too far back in the '
  'queue; up to 5 seconds old. For other jobs, the reason of the last change of state.';
COMMENT ON COLUMN cox.queue.submitted_at IS 'When it was accepted.';
COMMENT ON COLUMN cox.queue.array_job IS 'The array that it is part of; null: none.';
COMMENT ON COLUMN cox.queue.array_task IS 'Number of the array task; null: none, or several.';
COMMENT ON COLUMN cox.queue.array_tasks IS 'The tasks that the row stands for, if several.';
COMMENT ON COLUMN cox.queue.account IS 'The account that it is charged to; empty: none.';
COMMENT ON COLUMN cox.queue.job IS 'Its id as commands show it: 12, for array tasks 17_4 or 17_[5-9].';
COMMENT ON COLUMN cox.queue.cpus IS
  'CPUs granted to its live attempt; for a pending job, CPUs asked for (for an array, by one task).';
COMMENT ON COLUMN cox.queue.memory_mb IS
  'Memory on all its nodes in MiB, likewise; 0: no amount was asked for.';
COMMENT ON COLUMN cox.queue.gpus IS 'GPUs on all its nodes, likewise; a share of a GPU counts as a fraction.';
COMMENT ON COLUMN cox.queue.priority IS
  'Priority of a pending job inside its tier; the higher first. The part by age is as of now, the rest as '
  'of the last update of cox.waiting (sprio shows all as of now). 0: held. Null: it runs, or no pass has '
  'computed it yet.';
