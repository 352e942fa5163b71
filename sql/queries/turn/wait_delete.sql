-- Of jobs that wait no longer.
DELETE FROM cox.job_wait WHERE job_id = ANY ($1::bigint[]);
