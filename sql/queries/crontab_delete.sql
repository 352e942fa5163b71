-- Crontabs that are removed. Their lines are gone.
DELETE FROM cox.crontab WHERE uid = ANY ($1::bigint[]);
