-- Deletes lines of crontabs, by user and first line.
DELETE FROM cox.crontab_line l
  USING unnest($1::bigint[], $2::integer[]) AS w(uid, first_line)
  WHERE l.uid = w.uid AND l.first_line = w.first_line;
