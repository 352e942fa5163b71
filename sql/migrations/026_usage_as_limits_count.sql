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

-- Of each live attempt what limits count, by the names that they have. As what is held counts what
-- was asked for, GPUs as those of the type of the first on each node; by the minute count whole
-- grants, as they are charged when they end.
CREATE FUNCTION cox.held_by_jobs()
  RETURNS TABLE (job_id bigint, tres text, amount numeric, granted numeric)
  LANGUAGE sql STABLE AS $$
  WITH live AS (
    SELECT j.id, j.cpus_per_task, j.memory_mb_per_node, j.gres, j.licences,
           j.gpus_per_node * j.gpu_milli / 1000.0 AS gpus_per_node, n.gpu_milli / 1000.0 AS part,
           n.node, n.ranks, n.cpus, n.memory_mb, n.gpus
      FROM cox.attempt a
      JOIN cox.job j ON j.id = a.job_id
      JOIN cox.attempt_node n ON n.job_id = a.job_id AND n.attempt = a.attempt
      WHERE a.ended_at IS NULL AND j.ended_at IS NULL),
  counted AS (
    SELECT l.id, t.tres, t.amount, t.granted
      FROM live l
      CROSS JOIN LATERAL (VALUES
        ('cpu', l.ranks * l.cpus_per_task, l.cpus), ('mem', l.memory_mb_per_node, l.memory_mb),
        ('node', 1, 1), ('gres/gpu', l.gpus_per_node, cardinality(l.gpus) * l.part))
        AS t (tres, amount, granted)
    UNION ALL
    SELECT l.id, 'gres/gpu:' || n.gpu_type[array_position(n.gpu_index, g.gpu)],
           CASE WHEN g.place = 1 THEN l.gpus_per_node ELSE 0 END, l.part
      FROM live l
      JOIN cox.node n ON n.name = l.node
      CROSS JOIN LATERAL unnest(l.gpus) WITH ORDINALITY AS g (gpu, place)
    UNION ALL
    SELECT l.id, 'gres/' || t.name, m[3]::numeric, m[3]::numeric
      FROM live l
      CROSS JOIN LATERAL regexp_matches(l.gres, '([^:,]+)(?::([^:,]+))?:(\d+)', 'g') AS m
      CROSS JOIN LATERAL (SELECT m[1] AS name UNION ALL SELECT m[1] || ':' || m[2]) t
    UNION ALL
    SELECT j.id, 'license/' || m[1], coalesce(m[2], '1')::numeric, coalesce(m[2], '1')::numeric
      FROM (SELECT DISTINCT l.id, l.licences FROM live l) j
      CROSS JOIN LATERAL regexp_matches(j.licences, '([^:,]+)(?::(\d+))?', 'g') AS m
    UNION ALL
    SELECT DISTINCT l.id, 'wall', 0, 1 FROM live l)
  SELECT c.id, c.tres, coalesce(sum(c.amount), 0), coalesce(sum(c.granted), 0) FROM counted c
    WHERE c.tres <> 'gres/gpu:'
    GROUP BY c.id, c.tres $$;
COMMENT ON FUNCTION cox.held_by_jobs() IS
  'What each job that has room asked for and has, as limits count it, and what it was granted, as it '
  'is charged: cpu, mem in MiB, node, gres/gpu and gres/gpu:TYPE, gres/NAME, license/NAME, wall.';

CREATE FUNCTION cox.association_of(job cox.job)
  RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT a.id FROM cox.association a
    WHERE a.account = job.account AND a.user_name = job.user_name AND a.user_name <> ''
      AND (a.partition = '' OR a.partition = ANY (string_to_array(job.partition, ',')))
    ORDER BY array_position(string_to_array(job.partition, ','), nullif(a.partition, ''))
             NULLS LAST
    LIMIT 1 $$;
COMMENT ON FUNCTION cox.association_of(cox.job) IS
  'To whom a job is charged: the user in the first of its partitions that has a row of its own, else '
  'the user in any; null: to nobody''s row.';

CREATE OR REPLACE VIEW cox.associations AS
  WITH RECURSIVE tree AS (
    SELECT a.*, 0 AS depth, ARRAY[a.account] AS path FROM cox.association a WHERE a.account = 'root'
      AND a.user_name = ''
    UNION ALL
    SELECT a.*, t.depth + 1, t.path || a.account FROM cox.association a
      JOIN tree t ON a.parent = t.account AND a.user_name = '' AND t.depth < 32),
  jobs AS (
    SELECT j.id, j.account, cox.association_of(j) AS association,
           cox.task_count(j.array_tasks) AS submitted, j.time_limit_s
      FROM cox.job j
      WHERE j.ended_at IS NULL),
  live AS (
    SELECT j.account, j.association, sum(j.submitted) AS submitted, count(a.job_id) AS running
      FROM jobs j
      LEFT JOIN cox.attempt a ON a.job_id = j.id AND a.ended_at IS NULL
      GROUP BY j.account, j.association),
  held AS (
    SELECT j.account, j.association, h.tres, sum(h.amount) AS amount,
           sum(h.granted * coalesce(nullif(j.time_limit_s, 0), 366 * 24 * 3600)) AS promised_s
      FROM jobs j
      JOIN cox.held_by_jobs() h ON h.job_id = j.id
      GROUP BY j.account, j.association, h.tres)
  SELECT array_to_string(t.path, '/') AS path, a.account, nullif(a.user_name, '') AS user_name,
         nullif(a.partition, '') AS partition, a.shares, a.shares_of_parent, a.is_default,
         l.submitted, l.running, coalesce(h.cpus, 0) AS cpus,
         trim_scale(coalesce(h.gpus, 0)) AS gpus,
         a.grp_tres, a.grp_jobs, a.grp_submit_jobs, a.grp_tres_mins, a.grp_wall_s,
         a.max_tres_per_job, a.max_jobs, a.max_submit_jobs, a.max_wall_s, a.qos, a.default_qos,
         a.guarantee, a.deserved, a.max_tres_mins_per_job, u.minutes_used, u.minutes_used_at,
         coalesce(h.held, '') AS held, h.minutes_promised
    FROM tree t
    JOIN cox.association a ON a.account = t.account
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(live.submitted), 0)::bigint AS submitted,
             coalesce(sum(live.running), 0)::bigint AS running
        FROM live
        JOIN tree below ON below.account = live.account
        WHERE CASE WHEN a.user_name = '' THEN below.path[:t.depth + 1] = t.path
                   ELSE live.association = a.id END) l
    CROSS JOIN LATERAL (
      SELECT max(one.amount) FILTER (WHERE one.tres = 'cpu')::bigint AS cpus,
             max(one.amount) FILTER (WHERE one.tres = 'gres/gpu') AS gpus,
             string_agg(one.tres || '=' || trim_scale(one.amount), ',' ORDER BY one.tres)
               FILTER (WHERE one.amount > 0) AS held,
             cox.minutes_text(
               array_agg(one.tres) FILTER (WHERE one.promised_s > 0),
               array_agg(one.promised_s::double precision) FILTER (WHERE one.promised_s > 0))
               AS minutes_promised
        FROM (
          SELECT held.tres, sum(held.amount) AS amount, sum(held.promised_s) AS promised_s
            FROM held
            JOIN tree below ON below.account = held.account
            WHERE CASE WHEN a.user_name = '' THEN below.path[:t.depth + 1] = t.path
                       ELSE held.association = a.id END
            GROUP BY held.tres) one) h
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
COMMENT ON COLUMN cox.associations.held IS
  'All that they asked for and have, by the names that limits have for it: '
  'cpu=2,gres/gpu=1,gres/gpu:h100=1,license/matlab=1,mem=600,node=2 (mem in MiB).';
COMMENT ON COLUMN cox.associations.minutes_promised IS
  'What jobs that have room may use until their time limits, in minutes, of their nodes as they are '
  'charged: of nodes that they have to themselves all. It counts beside minutes_used. Null: nothing.';
SELECT cox.grant_reader();
