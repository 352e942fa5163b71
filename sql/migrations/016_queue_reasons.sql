-- Of a job that waits the queue says why, as cox.waiting does; cox.job.why is the reason of its last
-- change of state, and of most that wait there is none.
CREATE OR REPLACE VIEW cox.queue AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition, j.tasks, j.nodes,
         CASE WHEN j.state = 'PENDING' THEN date_trunc('second', now() - j.eligible_at) END
           AS waiting,
         CASE WHEN j.state::text IN ('RUNNING', 'SUSPENDED', 'SIGNALING', 'COMPLETING')
              THEN date_trunc('second', cox.run_time(a)) END AS elapsed,
         CASE WHEN j.time_limit_s > 0 THEN make_interval(secs => j.time_limit_s) END AS time_limit,
         (SELECT array_agg(n.node ORDER BY n.position) FROM cox.attempt_node n
            WHERE n.job_id = a.job_id AND n.attempt = a.attempt) AS node_list,
         (SELECT max(c.step) FROM cox.checkpoint c
            WHERE c.job_id = j.id AND NOT c.damaged AND NOT c.pruned) AS saved_step,
         j.attempt, j.held,
         CASE WHEN j.state <> 'PENDING' THEN j.why
              WHEN j.held THEN 'JobHeldUser'
              ELSE concat_ws(': ', coalesce(w.reason, 'Priority'), nullif(w.detail, '')) END AS why,
         j.submitted_at
    FROM cox.job j
    LEFT JOIN cox.qos q ON q.name = j.qos
    LEFT JOIN cox.attempt a ON a.job_id = j.id AND a.ended_at IS NULL
    LEFT JOIN cox.job_wait w ON w.job_id = j.id
    WHERE j.ended_at IS NULL
    ORDER BY j.state = 'PENDING', q.tier DESC NULLS LAST, j.eligible_at, j.id;
COMMENT ON COLUMN cox.queue.why IS
  'Why it waits, by Slurm''s code, and with numbers if it is not too far back in line; as it was '
  'last told, up to 5 seconds ago. Of others the reason of the last change of state.';
COMMENT ON COLUMN cox.waiting.last_judged_at IS
  'When that was last written, at most every 5 seconds: spans of time in the texts count from here.';
