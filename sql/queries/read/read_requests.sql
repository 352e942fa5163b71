-- What nobody has answered yet.
SELECT id, asked_by, command FROM cox.request WHERE answered_at IS NULL ORDER BY id LIMIT 100;
