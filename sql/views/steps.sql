CREATE OR REPLACE VIEW cox.steps AS
  SELECT CASE WHEN j.array_task >= 0 THEN j.array_job || '_' || j.array_task ELSE j.id::text END
           || '.' || s.number AS step,
         s.job_id, s.attempt, s.number, s.name, j.user_name, s.state,
         cardinality(s.node_list) AS nodes, s.tasks, s.node_list,
         date_trunc('second', coalesce(s.ended_at, now()) - s.started_at) AS elapsed,
         s.exit_code, s.exit_signal,
         make_interval(secs => (s.user_cpu_ms + s.system_cpu_ms) / 1000.0) AS cpu_time,
         s.max_rss_kb, s.why, s.created_at, s.ended_at
    FROM cox.step s JOIN cox.job j ON j.id = s.job_id
    ORDER BY s.job_id DESC, s.attempt DESC, s.number DESC;
COMMENT ON VIEW cox.steps IS 'The steps of jobs, the newest first.';
COMMENT ON COLUMN cox.steps.step IS 'Id of the step: JOB.STEP; for an array task, JOB_TASK.STEP.';
COMMENT ON COLUMN cox.steps.job_id IS 'The job.';
COMMENT ON COLUMN cox.steps.attempt IS 'The attempt.';
COMMENT ON COLUMN cox.steps.number IS 'Number of the step in the attempt.';
COMMENT ON COLUMN cox.steps.name IS 'The program that srun was given.';
COMMENT ON COLUMN cox.steps.user_name IS 'The job''s user.';
COMMENT ON COLUMN cox.steps.state IS 'Its state, or how it ended.';
COMMENT ON COLUMN cox.steps.nodes IS 'Number of nodes.';
COMMENT ON COLUMN cox.steps.tasks IS 'Number of tasks.';
COMMENT ON COLUMN cox.steps.node_list IS 'Its nodes.';
COMMENT ON COLUMN cox.steps.elapsed IS 'Its run time so far.';
COMMENT ON COLUMN cox.steps.exit_code IS 'The highest exit code of its tasks.';
COMMENT ON COLUMN cox.steps.exit_signal IS 'A signal that ended one of its tasks; 0: none.';
COMMENT ON COLUMN cox.steps.cpu_time IS 'CPU time of its tasks.';
COMMENT ON COLUMN cox.steps.max_rss_kb IS 'The most memory that one of its tasks held, in KiB.';
COMMENT ON COLUMN cox.steps.why IS 'The reason of its end.';
COMMENT ON COLUMN cox.steps.created_at IS 'When it was requested.';
COMMENT ON COLUMN cox.steps.ended_at IS 'When it ended; null: it has not.';
