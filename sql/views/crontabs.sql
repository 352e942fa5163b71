CREATE OR REPLACE VIEW cox.crontabs AS
  SELECT c.user_name, l.first_line, l.last_line, l.schedule, l.job_id, j.state,
         CASE WHEN j.state = 'PENDING' THEN j.begin_at END AS next_at, c.changed_at
    FROM cox.crontab_line l
    JOIN cox.crontab c USING (uid)
    JOIN cox.job j ON j.id = l.job_id
    ORDER BY c.user_name, l.first_line;
COMMENT ON VIEW cox.crontabs IS 'The lines of all crontabs, and when each is due next.';
COMMENT ON COLUMN cox.crontabs.user_name IS 'The crontab''s user.';
COMMENT ON COLUMN cox.crontabs.first_line IS 'The first of its #SCRON lines, or the line itself.';
COMMENT ON COLUMN cox.crontabs.last_line IS 'The line itself.';
COMMENT ON COLUMN cox.crontabs.schedule IS
  'When it is due, by local time of the controller: minute, hour, day, month, day of the week.';
COMMENT ON COLUMN cox.crontabs.job_id IS 'The current job of the line.';
COMMENT ON COLUMN cox.crontabs.state IS 'The state of that job.';
COMMENT ON COLUMN cox.crontabs.next_at IS 'When that job may start; empty: it has started.';
COMMENT ON COLUMN cox.crontabs.changed_at IS 'When the crontab was last changed.';
