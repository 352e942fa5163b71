-- Returns a page of a job's history: at most $3 events, those after event $2.
SELECT * FROM cox.job_event
  WHERE job_id = $1 AND sequence > $2
  ORDER BY sequence
  LIMIT $3;
