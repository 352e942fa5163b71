-- Crontabs that were written, or of which a line was disabled.
INSERT INTO cox.crontab
  SELECT w.* FROM unnest($1::cox.crontab[]) AS w
  ON CONFLICT (uid) DO UPDATE SET
    user_name = excluded.user_name, text = excluded.text, changed_at = excluded.changed_at;
