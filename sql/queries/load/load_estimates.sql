-- The newest starts that had been told before, the oldest of them first.
SELECT * FROM (
  SELECT * FROM cox.start_estimate ORDER BY actual_at DESC, job_id DESC LIMIT $1) AS newest
  ORDER BY actual_at, job_id;
