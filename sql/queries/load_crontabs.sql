-- Crontabs.
SELECT * FROM cox.crontab ORDER BY uid;
