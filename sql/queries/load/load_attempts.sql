-- Returns all attempts of the jobs with these ids ($1).
SELECT * FROM cox.attempt
  WHERE job_id = ANY($1::bigint[])
  ORDER BY job_id, attempt;
