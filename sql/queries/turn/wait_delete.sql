-- Deletes the pending reasons of jobs that no longer wait.
DELETE FROM cox.job_wait WHERE job_id = ANY ($1::bigint[]);
