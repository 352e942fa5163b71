-- Deletes crontabs. Their lines are already deleted.
DELETE FROM cox.crontab WHERE uid = ANY ($1::bigint[]);
