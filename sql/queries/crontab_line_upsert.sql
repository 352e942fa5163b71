-- Lines of crontabs: new ones, and those that have their next job.
INSERT INTO cox.crontab_line
  SELECT w.* FROM unnest($1::cox.crontab_line[]) AS w
  ON CONFLICT (uid, first_line) DO UPDATE SET
    last_line = excluded.last_line, schedule = excluded.schedule, job_id = excluded.job_id;
