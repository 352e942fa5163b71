-- Returns all attempts of one job.
SELECT * FROM cox.attempt WHERE job_id = $1 ORDER BY job_id, attempt;
