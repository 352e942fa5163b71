-- Returns the ranks of all attempts of one job.
SELECT * FROM cox.rank WHERE job_id = $1 ORDER BY job_id, attempt, rank;
