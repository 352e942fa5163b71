-- Returns the job that was accepted with this request id.
SELECT id FROM cox.job WHERE request_id = $1 AND request_id <> '';
