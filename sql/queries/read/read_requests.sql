-- Returns the oldest requests by SQL that have no answer yet.
SELECT id, asked_by, command FROM cox.request WHERE answered_at IS NULL ORDER BY id LIMIT 100;
