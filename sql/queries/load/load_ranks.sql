-- The ranks of all attempts of these jobs.
SELECT * FROM cox.rank
  WHERE job_id = ANY($1::bigint[])
  ORDER BY job_id, attempt, rank;
