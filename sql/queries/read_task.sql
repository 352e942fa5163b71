-- The job that a task of an array is.
SELECT id FROM cox.job WHERE array_job = $1 AND array_task = $2 AND array_task >= 0 AND array_job > 0;
