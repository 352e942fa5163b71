-- Inserts new lines of crontabs, and updates lines that have a new job.
INSERT INTO cox.crontab_line
  SELECT w.* FROM unnest($1::cox.crontab_line[]) AS w
  ON CONFLICT (uid, first_line) DO UPDATE SET
    last_line = excluded.last_line, schedule = excluded.schedule, job_id = excluded.job_id;
