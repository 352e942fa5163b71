-- The checkpoints that still have files of these jobs.
SELECT * FROM cox.checkpoint
  WHERE job_id = ANY($1::bigint[]) AND NOT pruned
  ORDER BY job_id, attempt, step;
