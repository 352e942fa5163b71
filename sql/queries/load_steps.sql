-- Steps of the newest attempt of each job that has not ended.
SELECT s.* FROM cox.step s JOIN cox.job j ON j.id = s.job_id AND j.attempt = s.attempt
  WHERE j.ended_at IS NULL
  ORDER BY s.job_id, s.number;
