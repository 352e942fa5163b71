-- Returns the lines of crontabs that ask for jobs.
SELECT * FROM cox.crontab_line ORDER BY uid, first_line;
