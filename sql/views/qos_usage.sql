-- What is in use, as limits count it: what jobs asked for, also if they have their nodes to
-- themselves. Limits on submitted jobs count tasks.
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
  'What the jobs of each QOS, and of each user in it, were granted, and may have. Limits count what '
  'was asked for, which differs where a job has its nodes to itself.';
COMMENT ON COLUMN cox.qos_usage.qos IS 'The tier.';
COMMENT ON COLUMN cox.qos_usage.user_name IS 'Whose jobs; null: all of them.';
COMMENT ON COLUMN cox.qos_usage.submitted IS
  'Jobs that wait or run, each task of an array for itself.';
COMMENT ON COLUMN cox.qos_usage.running IS 'Those of them that hold room.';
COMMENT ON COLUMN cox.qos_usage.nodes IS
  'Nodes that they hold, as limits count them: one that two jobs share counts twice.';
COMMENT ON COLUMN cox.qos_usage.cpus IS
  'CPUs that they asked for and have; of nodes that they have to themselves no others count.';
COMMENT ON COLUMN cox.qos_usage.memory_mb IS 'Memory likewise, in MiB.';
COMMENT ON COLUMN cox.qos_usage.gpus IS 'GPUs likewise; parts of one count as parts.';
COMMENT ON COLUMN cox.qos_usage.max_tres IS 'What they may have; empty: all there is.';
COMMENT ON COLUMN cox.qos_usage.max_jobs IS 'How many may run; null: any number.';
COMMENT ON COLUMN cox.qos_usage.max_submit_jobs IS 'How many may wait or run; null: any number.';
COMMENT ON COLUMN cox.qos_usage.max_minutes IS
  'What all of them may have used lately, in minutes; empty: any.';
COMMENT ON COLUMN cox.qos_usage.max_wall_s IS
  'How long all of them may have run lately, in seconds; null: any time.';
COMMENT ON COLUMN cox.qos_usage.minutes_used IS
  'What the jobs of all that are over had used at minutes_used_at, in minutes; null: nothing. '
  'Halved with each half-life since.';
COMMENT ON COLUMN cox.qos_usage.minutes_used_at IS 'When that was added up.';
