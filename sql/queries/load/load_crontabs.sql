-- Returns all crontabs.
SELECT * FROM cox.crontab ORDER BY uid;
