-- The checkpoints that still have files of one job.
SELECT * FROM cox.checkpoint WHERE job_id = $1 AND NOT pruned ORDER BY job_id, attempt, step;
