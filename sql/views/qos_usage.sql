-- Counts usage as limits do: what jobs asked for. A job with exclusive nodes counts no more than
-- that. Limits on submitted jobs count each task of an array.
CREATE OR REPLACE VIEW cox.qos_usage AS
  SELECT q.name AS qos, u.user_name, coalesce(u.submitted, 0) AS submitted,
         coalesce(u.running, 0) AS running, coalesce(u.nodes, 0) AS nodes,
         coalesce(u.cpus, 0) AS cpus, coalesce(u.memory_mb, 0) AS memory_mb,
         coalesce(trim_scale(u.gpus), 0) AS gpus,
         CASE WHEN u.user_name IS NULL THEN q.grp_tres ELSE q.max_tres_per_user END AS max_tres,
         CASE WHEN u.user_name IS NULL THEN q.grp_jobs ELSE q.max_jobs_per_user END AS max_jobs,
         CASE WHEN u.user_name IS NULL THEN q.grp_submit_jobs
              ELSE q.max_submit_jobs_per_user END AS max_submit_jobs,
         CASE WHEN u.user_name IS NULL THEN q.grp_tres_mins ELSE '' END AS max_minutes,
         CASE WHEN u.user_name IS NULL THEN q.grp_wall_s END AS max_wall_s,
         CASE WHEN u.user_name IS NULL
              THEN cox.minutes_text(m.usage_tres, m.usage_seconds) END AS minutes_used,
         CASE WHEN u.user_name IS NULL THEN m.usage_at END AS minutes_used_at
    FROM cox.qos q
    LEFT JOIN cox.qos_used m ON m.qos = q.name
    LEFT JOIN (
      SELECT j.qos, j.user_name, sum(cox.task_count(j.array_tasks))::bigint AS submitted,
             count(h.job_id) AS running,
             coalesce(sum(h.nodes), 0)::bigint AS nodes,
             coalesce(sum(h.ranks * j.cpus_per_task), 0)::bigint AS cpus,
             coalesce(sum(h.nodes * j.memory_mb_per_node), 0)::bigint AS memory_mb,
             coalesce(sum(h.nodes * j.gpus_per_node * j.gpu_milli) / 1000.0, 0) AS gpus
        FROM cox.job j
        LEFT JOIN (
          SELECT a.job_id, count(*) AS nodes, sum(n.ranks) AS ranks
            FROM cox.attempt a
            JOIN cox.attempt_node n ON n.job_id = a.job_id AND n.attempt = a.attempt
            WHERE a.ended_at IS NULL
            GROUP BY a.job_id) h ON h.job_id = j.id
        WHERE j.ended_at IS NULL
        GROUP BY GROUPING SETS ((j.qos), (j.qos, j.user_name))) u ON u.qos = q.name
    ORDER BY q.tier DESC, q.name, u.user_name NULLS FIRST;
COMMENT ON VIEW cox.qos_usage IS
  'Usage and limits of each QOS, and of each user in it. Usage counts what jobs asked for, as limits do, '
  'even if a job has its nodes exclusively.';
COMMENT ON COLUMN cox.qos_usage.qos IS 'The QOS.';
COMMENT ON COLUMN cox.qos_usage.user_name IS 'The user; null: all users together.';
COMMENT ON COLUMN cox.qos_usage.submitted IS
  'Pending and running jobs; each array task counts.';
COMMENT ON COLUMN cox.qos_usage.running IS 'Jobs that hold resources.';
COMMENT ON COLUMN cox.qos_usage.nodes IS
  'Nodes in use, as limits count them: a node that two jobs share counts twice.';
COMMENT ON COLUMN cox.qos_usage.cpus IS
  'CPUs in use, by what the jobs asked for.';
COMMENT ON COLUMN cox.qos_usage.memory_mb IS 'Memory, likewise, in MiB.';
COMMENT ON COLUMN cox.qos_usage.gpus IS 'GPUs, likewise; a share of a GPU counts as a fraction.';
COMMENT ON COLUMN cox.qos_usage.max_tres IS 'Limit on resources in use; empty: none.';
COMMENT ON COLUMN cox.qos_usage.max_jobs IS 'Limit on running jobs; null: none.';
COMMENT ON COLUMN cox.qos_usage.max_submit_jobs IS 'Limit on pending and running jobs; null: none.';
COMMENT ON COLUMN cox.qos_usage.max_minutes IS
  'Limit on decayed usage of all jobs, in minutes; empty: none.';
COMMENT ON COLUMN cox.qos_usage.max_wall_s IS
  'Limit on decayed run time of all jobs, in seconds; null: none.';
COMMENT ON COLUMN cox.qos_usage.minutes_used IS
  'Usage of ended jobs of all users as of minutes_used_at, in minutes; null: none. It has decayed by the '
  'half-life since.';
COMMENT ON COLUMN cox.qos_usage.minutes_used_at IS 'The time of minutes_used.';
