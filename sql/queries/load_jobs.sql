-- Jobs not ended, or ended lately; and those by whose end somebody who waits for it has not been
-- judged yet, or that are of an array with tasks that have not ended, or lately: of these the row is enough.
SELECT * FROM cox.job
  WHERE ended_at IS NULL OR ended_at >= $1::timestamptz
UNION ALL
SELECT * FROM cox.job
  WHERE ended_at < $1::timestamptz
    AND id IN (
      WITH awaited AS (SELECT unnest(dependency_on) AS id FROM cox.job WHERE ended_at IS NULL)
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
