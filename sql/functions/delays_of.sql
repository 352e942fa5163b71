-- Once JOB has begun, a dependency after:JOB+MINUTES is no longer in the row's columns for
-- dependencies, so it is read from the text of --dependency. The start time of an array is not
-- stored; for an array the waiting job's eligible_at is shown.
CREATE OR REPLACE FUNCTION cox.delays_of(j cox.job)
  RETURNS TABLE (on_job bigint, on_task bigint, delay_s bigint, due_at timestamptz, decided_by bigint)
  LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT t.on_job, t.on_task, t.delay_s, t.due_at,
         CASE WHEN t.on_task < 0 THEN t.on_job
              ELSE (SELECT r.id FROM cox.job r
                      WHERE r.array_job = t.on_job AND r.array_job > 0
                        AND t.on_task IN (SELECT cox.tasks_of(r.array_tasks, r.array_task))) END
    FROM (
      SELECT m[1]::bigint AS on_job, m[3]::bigint * 60 AS delay_s,
             coalesce(m[2]::bigint, -1) AS on_task,
             coalesce(b.started_at + m[3]::bigint * interval '1 minute', j.eligible_at) AS due_at
        FROM regexp_matches(j.dependency, 'after:(\d+)(?:_(\d+))?\+(\d+)', 'g') AS m
        LEFT JOIN cox.job b ON b.id = m[1]::bigint AND b.array_job = 0) AS t
    WHERE j.state = 'PENDING' AND j.eligible_at > now() AND t.due_at > now()
      AND NOT EXISTS (
        SELECT FROM unnest(j.dependency_kind, j.dependency_on, j.dependency_task)
            AS v(kind, on_job, on_task)
          WHERE v.kind = 'after' AND v.on_job = t.on_job AND v.on_task = t.on_task) $$;
COMMENT ON FUNCTION cox.delays_of IS
  'Returns the terms after:JOB+MINUTES of a pending job whose minutes are running: the row that has begun, '
  'and when the minutes are over.';
