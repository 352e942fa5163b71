-- The nodes of all attempts of these jobs.
SELECT * FROM cox.attempt_node
  WHERE job_id = ANY($1::bigint[])
  ORDER BY job_id, attempt, position;
