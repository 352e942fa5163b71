-- Returns the checkpoints of one job, without pruned ones, whose files are being deleted.
SELECT * FROM cox.checkpoint WHERE job_id = $1 AND NOT pruned ORDER BY job_id, attempt, step;
