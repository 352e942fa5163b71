-- Steps of the newest attempt of each of these jobs that has not ended.
SELECT s.* FROM cox.step s JOIN cox.job j ON j.id = s.job_id AND j.attempt = s.attempt
  WHERE s.job_id = ANY($1::bigint[]) AND j.ended_at IS NULL
  ORDER BY s.job_id, s.number;
