-- Reads each array, and each job name that a singleton waits for, only once, however many jobs wait
-- for it. Nested loops are off because, without statistics, the planner would compare every row
-- with every other.
CREATE OR REPLACE FUNCTION cox.deciding_rows()
  RETURNS TABLE (job_id bigint, place bigint, decided_by bigint) LANGUAGE sql STABLE
  SET enable_nestloop = off SET jit = off AS $$
  WITH term AS MATERIALIZED (
    SELECT j.id, j.name, j.user_name, j.array_task, j.array_tasks,
           coalesce(nullif(j.array_job, 0), j.id) AS submitted_as, d.*
      FROM cox.job j
      CROSS JOIN LATERAL unnest(j.dependency_kind, j.dependency_on, j.dependency_task)
        WITH ORDINALITY AS d(kind, on_job, on_task, place)
      WHERE j.ended_at IS NULL),
  -- For each user and job name: the first job that has not ended, for which singletons wait.
  named AS MATERIALIZED (
    SELECT DISTINCT ON (s.user_name, s.name) s.user_name, s.name, s.id,
           coalesce(nullif(s.array_job, 0), s.id) AS submitted_as
      FROM cox.job s
      WHERE s.ended_at IS NULL
        AND (s.user_name, s.name) IN (SELECT user_name, name FROM term WHERE kind = 'singleton')
      ORDER BY s.user_name, s.name, submitted_as, s.id),
  -- Arrays that jobs wait for as a whole. A row of cox.job stands for tasks of an array, so each
  -- array has several: for each array the rows that decide the dependency, by kind. Among failed
  -- rows the lowest id is taken. The row with the array's own id comes last: it has the last tasks.
  whole AS MATERIALIZED (
    SELECT r.array_job,
           coalesce(min(nullif(r.id, r.array_job)) FILTER (WHERE r.ended_at IS NOT NULL
                                                             AND r.state <> 'COMPLETED'),
                    min(r.id) FILTER (WHERE r.ended_at IS NOT NULL AND r.state <> 'COMPLETED'))
             AS failed,
           min(r.id) FILTER (WHERE r.ended_at IS NULL) AS unfinished,
           min(r.id) FILTER (WHERE r.ended_at IS NULL AND r.started_at IS NULL) AS not_begun,
           min(r.id) AS any_row
      FROM cox.job r
      WHERE r.array_job > 0
        AND r.array_job = ANY (ARRAY(SELECT DISTINCT on_job FROM term
                                 WHERE on_task < 0 AND kind NOT IN ('singleton', 'aftercorr')))
      GROUP BY r.array_job),
  -- Single tasks of arrays that jobs wait for, each with its row.
  task AS MATERIALIZED (
    SELECT r.array_job, t.task, r.id, r.ended_at IS NULL AS unfinished,
           r.ended_at IS NOT NULL AND r.state <> 'COMPLETED' AS failed
      FROM cox.job r
      CROSS JOIN LATERAL cox.tasks_of(r.array_tasks, r.array_task) AS t(task)
      WHERE r.array_job > 0
        AND r.array_job = ANY (ARRAY(SELECT DISTINCT on_job FROM term
                                 WHERE on_task >= 0 OR kind = 'aftercorr'))),
  -- For aftercorr: each task of the waiting row, which waits for the task with the same number. A
  -- row of several tasks waits for several.
  own AS MATERIALIZED (
    SELECT w.id AS job_id, w.place, w.on_job, t.task
      FROM term w
      CROSS JOIN LATERAL cox.tasks_of(w.array_tasks, w.array_task) AS t(task)
      WHERE w.kind = 'aftercorr'),
  partner AS MATERIALIZED (
    SELECT DISTINCT ON (own.job_id, own.place) own.job_id, own.place, task.id
      FROM own
      JOIN task ON task.array_job = own.on_job AND task.task = own.task
      ORDER BY own.job_id, own.place, task.failed DESC, task.unfinished DESC, task.task)
  SELECT w.id, w.place,
         CASE WHEN w.kind = 'singleton' THEN named.id
              WHEN w.kind = 'aftercorr' THEN partner.id
              WHEN w.on_task >= 0 THEN task.id
              WHEN whole.array_job IS NULL THEN w.on_job
              WHEN w.kind = 'after' THEN coalesce(whole.not_begun, whole.unfinished, whole.any_row)
              WHEN w.kind = 'afterok' THEN coalesce(whole.failed, whole.unfinished, whole.any_row)
              ELSE coalesce(whole.unfinished, whole.failed, whole.any_row) END
    FROM term w
    LEFT JOIN named ON w.kind = 'singleton' AND named.user_name = w.user_name
                       AND named.name = w.name AND named.submitted_as < w.submitted_as
    LEFT JOIN whole ON w.kind NOT IN ('singleton', 'aftercorr') AND w.on_task < 0
                       AND whole.array_job = w.on_job
    LEFT JOIN task ON w.on_task >= 0 AND task.array_job = w.on_job AND task.task = w.on_task
    LEFT JOIN partner ON w.kind = 'aftercorr' AND partner.job_id = w.id AND partner.place = w.place
$$;
COMMENT ON FUNCTION cox.deciding_rows IS
  'Returns, for each dependency term of each job that has not ended, the row of cox.job that decides the '
  'term now. place: the position of the term in the job''s arrays.';
