-- An attempt that was ordered to suspend is shown as suspended at once, as in `cox show job`.
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
  'All attempts of jobs, the newest first.';
COMMENT ON COLUMN cox.attempts.job_id IS 'The job.';
COMMENT ON COLUMN cox.attempts.state IS 'preparing, running, suspended, stopping or ended.';
COMMENT ON COLUMN cox.attempts.attempt IS 'Number of the attempt, from 1.';
COMMENT ON COLUMN cox.attempts.name IS 'The job''s name.';
COMMENT ON COLUMN cox.attempts.user_name IS 'The job''s user.';
COMMENT ON COLUMN cox.attempts.node_list IS 'Its nodes, in order.';
COMMENT ON COLUMN cox.attempts.resume_attempt IS
  'The attempt whose checkpoint it resumed from; null: from the start.';
COMMENT ON COLUMN cox.attempts.resume_step IS 'The step it resumed from.';
COMMENT ON COLUMN cox.attempts.began_at IS 'When it began to prepare.';
COMMENT ON COLUMN cox.attempts.went_at IS 'When its ranks were started; null: never.';
COMMENT ON COLUMN cox.attempts.ended_at IS 'When none of its processes was left; null: it is live.';
COMMENT ON COLUMN cox.attempts.ran IS 'Its run time so far.';
COMMENT ON COLUMN cox.attempts.stop_why IS 'Why it was ordered to stop; null: it was not.';
COMMENT ON COLUMN cox.attempts.stop_asked_at IS 'When it was ordered to stop.';
COMMENT ON COLUMN cox.attempts.outcome IS 'How it ended.';
