-- For each of the jobs with these ids ($1) that has not ended, returns the steps of its newest
-- attempt.
SELECT s.* FROM cox.step s JOIN cox.job j ON j.id = s.job_id AND j.attempt = s.attempt
  WHERE s.job_id = ANY($1::bigint[]) AND j.ended_at IS NULL
  ORDER BY s.job_id, s.number;
