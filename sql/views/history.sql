CREATE OR REPLACE VIEW cox.history AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition, j.exit_code, j.exit_signal,
         j.submitted_at, j.started_at, j.ended_at,
         date_trunc('second', u.ran) AS ran, u.cpu_seconds_allocated, u.gpu_seconds_allocated, j.restarts, j.why,
         nullif(j.array_job, 0) AS array_job, nullif(j.array_task, -1) AS array_task,
         j.array_tasks, j.account,
         cox.command_id(j.id, j.array_job, j.array_task, j.array_tasks) AS job
    FROM cox.job j
    CROSS JOIN LATERAL (
      SELECT sum(cox.run_time(a)) AS ran,
             sum(extract(epoch FROM cox.run_time(a)) * g.cpus)::bigint AS cpu_seconds_allocated,
             sum(extract(epoch FROM a.ended_at - a.went_at) * g.gpus)::bigint AS gpu_seconds_allocated
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
  'CPU-seconds that its attempts held while they ran, used or not: CPUs times run time. What '
  'processes used is in cox.attempt_node: user_cpu_ms and system_cpu_ms.';
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
