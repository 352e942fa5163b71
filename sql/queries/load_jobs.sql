-- Jobs not ended, or ended lately; and those by whose end somebody who waits for it has not been
-- judged yet, or has not been told that it waits in vain, or that are of an array with tasks that have
-- not ended, or lately: of these the row is enough.
SELECT * FROM cox.job
  WHERE ended_at IS NULL OR ended_at >= $1::timestamptz
UNION ALL
SELECT * FROM cox.job
  WHERE ended_at < $1::timestamptz
    AND id IN (
      WITH awaited AS (
        SELECT d.id FROM cox.job AS j
          CROSS JOIN LATERAL unnest(j.dependency_on, j.dependency_never) AS d(id, never)
          LEFT JOIN cox.job_wait AS w
            ON w.job_id = j.id AND w.reason = 'DependencyNeverSatisfied'
          WHERE j.ended_at IS NULL AND (NOT d.never OR w.job_id IS NULL))
      SELECT id FROM awaited
      UNION
      SELECT task.id FROM cox.job AS task
        WHERE task.array_job > 0 AND task.array_job IN (
          SELECT id FROM awaited
          UNION
          SELECT array_job FROM cox.job WHERE ended_at IS NULL AND array_job > 0
          UNION
          SELECT array_job FROM cox.job
            WHERE ended_at >= $1::timestamptz AND array_job > 0))
ORDER BY id;
