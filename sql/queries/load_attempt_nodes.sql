-- The nodes of all attempts of the jobs that load_jobs reads.
SELECT * FROM cox.attempt_node
  WHERE job_id IN (
    SELECT id FROM cox.job
      WHERE attempt > 0 AND (ended_at IS NULL OR ended_at >= $1::timestamptz))
  ORDER BY job_id, attempt, position;
