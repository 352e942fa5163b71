-- Why the pending jobs wait, as last told.
SELECT * FROM cox.job_wait ORDER BY job_id;
