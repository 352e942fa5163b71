-- An attempt that is to stand still is told as such, as `cox show job` does.
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
COMMENT ON COLUMN cox.attempts.state IS 'preparing, running, suspended, stopping or ended.';
