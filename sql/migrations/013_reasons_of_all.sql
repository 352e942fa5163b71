-- Of those far back in line no pass tells why they wait: they stand behind others, as `cox queue`
-- says of them too. Whom a person holds needs no pass to know it.
CREATE OR REPLACE VIEW cox.waiting AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition, j.nodes, j.tasks,
         CASE WHEN j.held THEN 'JobHeldUser' ELSE coalesce(w.reason, 'Priority') END AS reason,
         coalesce(w.detail, '') AS detail,
         w.expected_start_at, date_trunc('second', now() - j.eligible_at) AS waiting,
         coalesce(w.lines, '{}') AS lines, w.first_judged_at, w.last_judged_at
    FROM cox.job j
    LEFT JOIN cox.job_wait w ON w.job_id = j.id
    LEFT JOIN cox.qos q ON q.name = j.qos
    WHERE j.state = 'PENDING'
    ORDER BY q.tier DESC NULLS LAST, j.eligible_at, j.id;
COMMENT ON COLUMN cox.waiting.reason IS
  'Why, by Slurm''s code; Priority also of those too far back to be judged one by one.';
