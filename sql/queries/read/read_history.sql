-- A page of a job's history.
SELECT * FROM cox.job_event
  WHERE job_id = $1 AND sequence > $2
  ORDER BY sequence
  LIMIT $3;
