CREATE OR REPLACE VIEW cox.events AS
  SELECT e.sequence, e.state, e.at, e.job_id, e.attempt, e.what, e.why, e.actor
    FROM cox.job_event e
    ORDER BY e.sequence DESC;
COMMENT ON VIEW cox.events IS
  'The history of all jobs, the newest first: add LIMIT, or WHERE job_id = ….';
COMMENT ON COLUMN cox.events.sequence IS 'The order in which things became true.';
COMMENT ON COLUMN cox.events.state IS 'The job''s state once this was true.';
COMMENT ON COLUMN cox.events.at IS 'When.';
COMMENT ON COLUMN cox.events.job_id IS 'The job.';
COMMENT ON COLUMN cox.events.attempt IS 'The attempt; 0: before the first.';
COMMENT ON COLUMN cox.events.what IS 'What kind of event it is.';
COMMENT ON COLUMN cox.events.why IS 'Why, as a sentence.';
COMMENT ON COLUMN cox.events.actor IS 'Who did it.';
