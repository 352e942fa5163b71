-- What is in use, as limits count it: what jobs ask for, also where they have their nodes to
-- themselves. And of accounts what they have used of their limits in minutes.
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
COMMENT ON COLUMN cox.qos_usage.nodes IS
  'Nodes that they hold, as limits count them: one that two jobs share counts twice.';
COMMENT ON COLUMN cox.qos_usage.cpus IS
  'CPUs that they asked for and have; of nodes that they have to themselves no others count.';
COMMENT ON COLUMN cox.qos_usage.memory_mb IS 'Memory likewise, in MiB.';
COMMENT ON COLUMN cox.qos_usage.gpus IS 'GPUs likewise; parts of one count as parts.';

CREATE OR REPLACE VIEW cox.associations AS
  WITH RECURSIVE tree AS (
    SELECT a.*, 0 AS depth, ARRAY[a.account] AS path FROM cox.association a WHERE a.account = 'root'
      AND a.user_name = ''
    UNION ALL
    SELECT a.*, t.depth + 1, t.path || a.account FROM cox.association a
      JOIN tree t ON a.parent = t.account AND a.user_name = '' AND t.depth < 32),
  live AS (
    SELECT j.account, j.user_name, sum(cox.task_count(j.array_tasks)) AS submitted,
           count(h.job_id) AS running,
           coalesce(sum(h.ranks * j.cpus_per_task), 0)::bigint AS cpus,
           coalesce(sum(h.nodes * j.gpus_per_node * j.gpu_milli) / 1000.0, 0) AS gpus
      FROM cox.job j
      LEFT JOIN (
        SELECT a.job_id, count(*) AS nodes, sum(n.ranks) AS ranks
          FROM cox.attempt a
          JOIN cox.attempt_node n ON n.job_id = a.job_id AND n.attempt = a.attempt
          WHERE a.ended_at IS NULL
          GROUP BY a.job_id) h ON h.job_id = j.id
      WHERE j.ended_at IS NULL
      GROUP BY j.account, j.user_name)
  SELECT array_to_string(t.path, '/') AS path, a.account, nullif(a.user_name, '') AS user_name,
         nullif(a.partition, '') AS partition, a.shares, a.shares_of_parent, a.is_default,
         l.submitted, l.running, l.cpus, trim_scale(l.gpus) AS gpus,
         a.grp_tres, a.grp_jobs, a.grp_submit_jobs, a.grp_tres_mins, a.grp_wall_s,
         a.max_tres_per_job, a.max_jobs, a.max_submit_jobs, a.max_wall_s, a.qos, a.default_qos,
         a.guarantee, a.deserved, a.max_tres_mins_per_job, u.minutes_used, u.minutes_used_at
    FROM tree t
    JOIN cox.association a ON a.account = t.account
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(live.submitted), 0)::bigint AS submitted,
             coalesce(sum(live.running), 0)::bigint AS running,
             coalesce(sum(live.cpus), 0)::bigint AS cpus, coalesce(sum(live.gpus), 0) AS gpus
        FROM live
        JOIN tree below ON below.account = live.account
        WHERE CASE WHEN a.user_name = '' THEN below.path[:t.depth + 1] = t.path
                   ELSE live.account = a.account AND live.user_name = a.user_name END) l
    CROSS JOIN LATERAL (
      SELECT cox.minutes_text(array_agg(s.tres), array_agg(s.seconds)) AS minutes_used,
             max(s.at) AS minutes_used_at
        FROM (
          SELECT one.tres, sum(one.seconds) AS seconds, max(b.usage_at) AS at
            FROM cox.association b
            JOIN tree below ON below.account = b.account
            CROSS JOIN LATERAL unnest(b.usage_tres, b.usage_seconds) AS one (tres, seconds)
            WHERE CASE WHEN a.user_name = '' THEN below.path[:t.depth + 1] = t.path
                       ELSE b.id = a.id END
            GROUP BY one.tres) s) u
    ORDER BY t.path, a.user_name, a.partition;
COMMENT ON COLUMN cox.associations.cpus IS
  'CPUs that they asked for and have, as limits count them; of nodes that they have to themselves no '
  'others count.';
COMMENT ON COLUMN cox.associations.gpus IS 'GPUs likewise; parts of one count as parts.';
COMMENT ON COLUMN cox.associations.max_tres_mins_per_job IS
  'What a job may use until its time limit, in minutes of each.';
COMMENT ON COLUMN cox.associations.minutes_used IS
  'What jobs that are over had used, in minutes, each association''s as it was when that was last '
  'added to (cox.association.usage_at); null: nothing. Halved with each half-life since: cox show '
  'accounts tells what counts now.';
COMMENT ON COLUMN cox.associations.minutes_used_at IS 'When the newest of it was added.';
SELECT cox.grant_reader();
