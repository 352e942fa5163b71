-- How many jobs load_jobs reads by their own end; and the oldest transaction that this picture may lack:
-- what changes from now on is written by it or by a later one.
SELECT count(*) AS jobs, pg_snapshot_xmin(pg_current_snapshot()) AS lacks
  FROM cox.job WHERE ended_at IS NULL OR ended_at >= $1::timestamptz;
