CREATE OR REPLACE VIEW cox.events AS
  SELECT e.sequence, e.state, e.at, e.job_id, e.attempt, e.what, e.why, e.actor
    FROM cox.job_event e
    ORDER BY e.sequence DESC;
COMMENT ON VIEW cox.events IS
  'The history of all jobs, the newest first: add LIMIT, or WHERE job_id = ….';
COMMENT ON COLUMN cox.events.sequence IS 'Order of the events.';
COMMENT ON COLUMN cox.events.state IS 'The job''s state after the event.';
COMMENT ON COLUMN cox.events.at IS 'When.';
COMMENT ON COLUMN cox.events.job_id IS 'The job.';
COMMENT ON COLUMN cox.events.attempt IS 'The attempt; 0: before the first.';
COMMENT ON COLUMN cox.events.what IS 'The kind of event.';
COMMENT ON COLUMN cox.events.why IS 'The reason.';
COMMENT ON COLUMN cox.events.actor IS 'Who caused it: user NAME, scheduler, node NAME or controller.';
