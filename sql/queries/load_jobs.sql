-- Jobs not ended, or ended lately.
SELECT * FROM cox.job
  WHERE ended_at IS NULL OR ended_at >= $1::timestamptz
  ORDER BY id;
