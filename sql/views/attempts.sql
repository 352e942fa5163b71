-- An attempt that is asked to suspend is shown as suspended, as `cox show job` does.
CREATE OR REPLACE VIEW cox.attempts AS
  SELECT a.job_id,
         CASE WHEN a.suspended AND a.state = 'running' THEN 'suspended' ELSE a.state END AS state,
         a.attempt, j.name, j.user_name,
         (SELECT array_agg(n.node ORDER BY n.position) FROM cox.attempt_node n
            WHERE n.job_id = a.job_id AND n.attempt = a.attempt) AS node_list,
         a.resume_attempt, a.resume_step, a.began_at, a.went_at, a.ended_at,
         date_trunc('second', cox.run_time(a)) AS ran,
         nullif(a.stop_why, 'none') AS stop_why, a.stop_asked_at, a.outcome
    FROM cox.attempt a JOIN cox.job j ON j.id = a.job_id
    ORDER BY a.job_id DESC, a.attempt DESC;
COMMENT ON VIEW cox.attempts IS
  'Every try at running a job, the newest first.';
COMMENT ON COLUMN cox.attempts.job_id IS 'The job.';
COMMENT ON COLUMN cox.attempts.state IS 'preparing, running, suspended, stopping or ended.';
COMMENT ON COLUMN cox.attempts.attempt IS 'Which try, from 1.';
COMMENT ON COLUMN cox.attempts.name IS 'The job''s name.';
COMMENT ON COLUMN cox.attempts.user_name IS 'Whose job it is.';
COMMENT ON COLUMN cox.attempts.node_list IS 'Its nodes, in order.';
COMMENT ON COLUMN cox.attempts.resume_attempt IS
  'The attempt whose checkpoint it resumed from; null: from the start.';
COMMENT ON COLUMN cox.attempts.resume_step IS 'The step it resumed from.';
COMMENT ON COLUMN cox.attempts.began_at IS 'When it began to prepare.';
COMMENT ON COLUMN cox.attempts.went_at IS 'When its ranks were let go; null: never.';
COMMENT ON COLUMN cox.attempts.ended_at IS 'When nothing of it was left; null: it is live.';
COMMENT ON COLUMN cox.attempts.ran IS 'How long it ran, or has run.';
COMMENT ON COLUMN cox.attempts.stop_why IS 'Why it was asked to stop; null: it was not.';
COMMENT ON COLUMN cox.attempts.stop_asked_at IS 'When it was asked to stop.';
COMMENT ON COLUMN cox.attempts.outcome IS 'How it ended.';
