-- Arrays and names of singletons that jobs wait for are gone through once, however many jobs wait
-- for them; also while the server has no statistics yet, and would compare each with each.
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
  -- The first of each name that has not ended.
  named AS MATERIALIZED (
    SELECT DISTINCT ON (s.user_name, s.name) s.user_name, s.name, s.id,
           coalesce(nullif(s.array_job, 0), s.id) AS submitted_as
      FROM cox.job s
      WHERE s.ended_at IS NULL
        AND (s.user_name, s.name) IN (SELECT user_name, name FROM term WHERE kind = 'singleton')
      ORDER BY s.user_name, s.name, submitted_as, s.id),
  -- Of arrays that are waited for as wholes. Of those that failed the one that bears the array's id
  -- comes last, as it has the last of the tasks.
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
  -- Of arrays whose tasks are waited for one by one.
  task AS MATERIALIZED (
    SELECT r.array_job, t.task, r.id, r.ended_at IS NULL AS unfinished,
           r.ended_at IS NOT NULL AND r.state <> 'COMPLETED' AS failed
      FROM cox.job r
      CROSS JOIN LATERAL cox.tasks_of(r.array_tasks, r.array_task) AS t(task)
      WHERE r.array_job > 0
        AND r.array_job = ANY (ARRAY(SELECT DISTINCT on_job FROM term
                                 WHERE on_task >= 0 OR kind = 'aftercorr'))),
  -- Of tasks that wait each for its partner: who is a row of several has several partners.
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
  'Of each term of the dependencies of each job that has not ended, by its place among them, the row of '
  'cox.job that decides it now.';
