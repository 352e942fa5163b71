-- The job a request id was accepted as.
SELECT id FROM cox.job WHERE request_id = $1 AND request_id <> '';
