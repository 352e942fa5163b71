-- One job.
SELECT * FROM cox.job WHERE id = $1;
