-- Returns the $1 newest starts for which an expected start had been shown, the oldest of these
-- first.
SELECT * FROM (
  SELECT * FROM cox.start_estimate ORDER BY actual_at DESC, job_id DESC LIMIT $1) AS newest
  ORDER BY actual_at, job_id;
