-- Jobs not ended, or ended lately; and those by whose end somebody who waits for it has not been
-- judged yet: of these the row is enough.
SELECT * FROM cox.job
  WHERE ended_at IS NULL OR ended_at >= $1::timestamptz
UNION ALL
SELECT * FROM cox.job
  WHERE ended_at < $1::timestamptz
    AND id IN (SELECT unnest(dependency_on) FROM cox.job WHERE ended_at IS NULL)
ORDER BY id;
