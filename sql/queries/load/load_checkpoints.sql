-- Returns the checkpoints of the jobs with these ids ($1), without pruned ones, whose files are
-- being deleted.
SELECT * FROM cox.checkpoint
  WHERE job_id = ANY($1::bigint[]) AND NOT pruned
  ORDER BY job_id, attempt, step;
