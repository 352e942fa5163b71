-- This view itself computes the reasons of held jobs, of jobs with an unmet dependency and of jobs
-- before their begin time, without a scheduling pass. The row of cox.job_wait explains a job that
-- can never start; it was written when that became known.
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
              WHEN j.held THEN 'held by a user'
              WHEN w.reason = 'DependencyNeverSatisfied' THEN w.detail
              WHEN cardinality(j.dependency_on) > 0 THEN 'depends on ' || j.dependency
              WHEN j.eligible_at > now() THEN 'does not start before ' || j.eligible_at || coalesce(
                (SELECT ': ' || d.delay_s / 60 || ' min after job ' || d.on_job
                        || CASE WHEN d.on_task < 0 THEN '' ELSE '_' || d.on_task END || ' began'
                   FROM cox.delays_of(j) d ORDER BY d.due_at DESC LIMIT 1), '')
              WHEN w.job_id IS NULL THEN 'not considered yet'
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
COMMENT ON VIEW cox.waiting IS 'The pending jobs and their pending reasons.';
COMMENT ON COLUMN cox.waiting.id IS 'The job.';
COMMENT ON COLUMN cox.waiting.state IS 'PENDING.';
COMMENT ON COLUMN cox.waiting.name IS 'Its name.';
COMMENT ON COLUMN cox.waiting.user_name IS 'Its user.';
COMMENT ON COLUMN cox.waiting.qos IS 'Its QOS.';
COMMENT ON COLUMN cox.waiting.partition IS 'Its partition.';
COMMENT ON COLUMN cox.waiting.nodes IS 'Nodes asked for.';
COMMENT ON COLUMN cox.waiting.tasks IS 'Tasks asked for.';
COMMENT ON COLUMN cox.waiting.reason IS
  'The pending reason, by Slurm''s code; also Priority for jobs too far back in the queue.';
COMMENT ON COLUMN cox.waiting.detail IS
  'The reason with numbers. Times in this text are in UTC (2026-01-01T18:00:00Z), while the other columns '
  'are shown in the time zone of the session.';
COMMENT ON COLUMN cox.waiting.expected_start_at IS 'Expected start; null: unknown.';
COMMENT ON COLUMN cox.waiting.waiting IS 'How long it has been pending.';
COMMENT ON COLUMN cox.waiting.lines IS 'The whole explanation, as in cox why; times in UTC.';
COMMENT ON COLUMN cox.waiting.first_judged_at IS 'When a pass first found that it waits.';
COMMENT ON COLUMN cox.waiting.last_judged_at IS
  'When the reason was last written, at most every 5 seconds.';
COMMENT ON COLUMN cox.waiting.array_job IS 'The array that it is part of; null: none.';
COMMENT ON COLUMN cox.waiting.array_task IS 'Number of the array task; null: none, or several.';
COMMENT ON COLUMN cox.waiting.array_tasks IS 'The tasks that the row stands for, if several.';
