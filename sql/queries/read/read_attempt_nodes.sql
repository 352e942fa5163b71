-- Returns the nodes of all attempts of one job.
SELECT * FROM cox.attempt_node WHERE job_id = $1 ORDER BY job_id, attempt, position;
