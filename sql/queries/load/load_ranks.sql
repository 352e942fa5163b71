-- Returns the ranks of all attempts of the jobs with these ids ($1).
SELECT * FROM cox.rank
  WHERE job_id = ANY($1::bigint[])
  ORDER BY job_id, attempt, rank;
