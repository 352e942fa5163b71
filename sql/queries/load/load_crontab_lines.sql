-- Returns the lines of all crontabs that submit jobs; comments and disabled lines have no row.
SELECT * FROM cox.crontab_line ORDER BY uid, first_line;
