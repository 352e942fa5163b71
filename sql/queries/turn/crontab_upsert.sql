-- Inserts or updates crontabs that were installed, or that had a line disabled.
INSERT INTO cox.crontab
  SELECT w.* FROM unnest($1::cox.crontab[]) AS w
  ON CONFLICT (uid) DO UPDATE SET
    user_name = excluded.user_name, text = excluded.text, changed_at = excluded.changed_at;
