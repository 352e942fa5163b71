-- Deletes crontabs. An earlier statement of the turn has deleted their lines.
DELETE FROM cox.crontab WHERE uid = ANY ($1::bigint[]);
