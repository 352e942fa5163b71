CREATE OR REPLACE VIEW cox.history AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition, j.exit_code, j.exit_signal,
         j.submitted_at, j.started_at, j.ended_at,
         date_trunc('second', u.ran) AS ran, u.cpu_seconds_allocated, u.gpu_seconds_allocated, j.restarts, j.why,
         nullif(j.array_job, 0) AS array_job, nullif(j.array_task, -1) AS array_task,
         j.array_tasks, j.account,
         cox.command_id(j.id, j.array_job, j.array_task, j.array_tasks) AS job,
         CASE WHEN j.time_limit_s > 0 THEN make_interval(secs => j.time_limit_s) END AS time_limit,
         j.nodes + cox.of_components(j.components, 'nodes') AS nodes,
         j.tasks + cox.of_components(j.components, 'tasks') AS tasks,
         j.tasks * j.cpus_per_task
           + cox.of_components(j.components, 'tasks', 'cpus_per_task') AS cpus,
         j.nodes * j.memory_mb_per_node
           + cox.of_components(j.components, 'nodes', 'memory_mb_per_node') AS memory_mb,
         trim_scale((j.nodes * j.gpus_per_node * j.gpu_milli
           + cox.of_components(j.components, 'nodes', 'gpus_per_node', 'gpu_milli')) / 1000.0)
           AS gpus,
         round(u.cpu_ms / 1000.0
           + coalesce((SELECT sum(s.user_cpu_ms + s.system_cpu_ms) FROM cox.step s
                         WHERE s.job_id = j.id), 0) / 1000.0)::bigint AS cpu_seconds_used,
         ceil(greatest(u.max_rss_kb, (SELECT max(s.max_rss_kb) FROM cox.step s
                                        WHERE s.job_id = j.id)) / 1024.0)::bigint AS max_rss_mb
    FROM cox.job j
    CROSS JOIN LATERAL (
      SELECT sum(cox.run_time(a)) AS ran,
             sum(extract(epoch FROM cox.run_time(a)) * g.cpus)::bigint AS cpu_seconds_allocated,
             sum(extract(epoch FROM a.ended_at - a.went_at) * g.gpus)::bigint AS gpu_seconds_allocated,
             sum(g.cpu_ms) AS cpu_ms, max(g.max_rss_kb) AS max_rss_kb
        FROM cox.attempt a
        CROSS JOIN LATERAL (
          SELECT sum(n.cpus) AS cpus, sum(cardinality(n.gpus)) AS gpus,
                 sum(n.user_cpu_ms + n.system_cpu_ms) AS cpu_ms, max(n.max_rss_kb) AS max_rss_kb
            FROM cox.attempt_node n
            WHERE n.job_id = a.job_id AND n.attempt = a.attempt) g
        WHERE a.job_id = j.id) u
    WHERE j.ended_at IS NOT NULL
    ORDER BY j.ended_at DESC, j.id DESC;
COMMENT ON VIEW cox.history IS
  'Jobs that have ended, the newest first, with what they asked for, held and used.';
COMMENT ON COLUMN cox.history.id IS 'The job.';
COMMENT ON COLUMN cox.history.state IS 'Its final state.';
COMMENT ON COLUMN cox.history.name IS 'Its name.';
COMMENT ON COLUMN cox.history.user_name IS 'Its user.';
COMMENT ON COLUMN cox.history.qos IS 'Its QOS.';
COMMENT ON COLUMN cox.history.partition IS 'Its partition.';
COMMENT ON COLUMN cox.history.exit_code IS 'Exit code of the first failing rank.';
COMMENT ON COLUMN cox.history.exit_signal IS 'Signal that ended the first failing rank.';
COMMENT ON COLUMN cox.history.submitted_at IS 'When it was accepted.';
COMMENT ON COLUMN cox.history.started_at IS 'When its last attempt started.';
COMMENT ON COLUMN cox.history.ended_at IS 'When it ended.';
COMMENT ON COLUMN cox.history.ran IS 'Run time of all its attempts.';
COMMENT ON COLUMN cox.history.cpu_seconds_allocated IS
  'CPU-seconds that its attempts held while they ran, used or not: CPUs times run time.';
COMMENT ON COLUMN cox.history.gpu_seconds_allocated IS
  'GPU-seconds that its attempts held while they ran, used or not.';
COMMENT ON COLUMN cox.history.restarts IS 'How often it was restarted.';
COMMENT ON COLUMN cox.history.why IS 'The reason of its end.';
COMMENT ON COLUMN cox.history.array_job IS 'The array that it was part of; null: none.';
COMMENT ON COLUMN cox.history.array_task IS 'Number of the array task; null: none, or several.';
COMMENT ON COLUMN cox.history.array_tasks IS
  'The tasks that the row stands for, if several: they ended before they ran.';
COMMENT ON COLUMN cox.history.account IS 'The account that it was charged to; empty: none.';
COMMENT ON COLUMN cox.history.job IS 'Its id as commands show it: 12, for an array task 17_4.';
COMMENT ON COLUMN cox.history.time_limit IS 'Its time limit; null: none.';
COMMENT ON COLUMN cox.history.nodes IS 'Nodes asked for.';
COMMENT ON COLUMN cox.history.tasks IS 'Tasks asked for.';
COMMENT ON COLUMN cox.history.cpus IS 'CPUs asked for; for tasks of an array, by one task.';
COMMENT ON COLUMN cox.history.memory_mb IS
  'Memory asked for on all its nodes, in MiB; 0: no amount was asked for.';
COMMENT ON COLUMN cox.history.gpus IS
  'GPUs asked for on all its nodes; a share of a GPU counts as a fraction.';
COMMENT ON COLUMN cox.history.cpu_seconds_used IS
  'CPU time of the processes of all its attempts and steps; null: it never had an attempt.';
COMMENT ON COLUMN cox.history.max_rss_mb IS
  'The most memory that one of its ranks or tasks held, in MiB; null: it never had an attempt.';
