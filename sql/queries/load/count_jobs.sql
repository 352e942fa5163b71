-- Returns how many jobs load_jobs reads in its first part: those that have not ended, or ended
-- since $1. Also returns a transaction number (lacks): a change that this snapshot does not show
-- was made by that transaction or a later one.
SELECT count(*) AS jobs, pg_snapshot_xmin(pg_current_snapshot()) AS lacks
  FROM cox.job WHERE ended_at IS NULL OR ended_at >= $1::timestamptz;
