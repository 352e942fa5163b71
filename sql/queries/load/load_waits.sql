-- Returns the stored pending reasons.
SELECT * FROM cox.job_wait ORDER BY job_id;
