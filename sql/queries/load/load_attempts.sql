-- All attempts of these jobs.
SELECT * FROM cox.attempt
  WHERE job_id = ANY($1::bigint[])
  ORDER BY job_id, attempt;
