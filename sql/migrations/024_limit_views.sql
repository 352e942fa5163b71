-- For administrators: which limits keep jobs back, what was used of those in minutes, and the quotas
-- of accounts.

-- What a detail of cox.job_wait says of a limit, as schedule/explain/limited.cpp words it.
CREATE FUNCTION cox.limit_in(detail text, OUT owner text, OUT name text, OUT most text,
                             OUT used text)
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog AS $$
  SELECT concat_ws(', ', coalesce(m[1], m[3]), CASE WHEN m[1] IS NOT NULL THEN m[3] END), m[2],
         m[4], m[5]
    FROM (SELECT regexp_match(detail,
            '^(?:([^:]+): )?((?:Grp|Max|Array)[A-Za-z]+(?: (?!of )[^ ]+(?: \(hours [^)]+\))?)?'
            '|what it (?:deserves|keeps) of [^ ,]+(?:, for work that never gives way,)?)'
            '(?: of ((?:user|array) [^ ]+))? is ([^:]+): (.+), and it asks for [^,]+$') AS m) AS found
    WHERE m IS NOT NULL
$$;
COMMENT ON FUNCTION cox.limit_in(text) IS
  'Whose limit a detail of cox.job_wait tells of, which, what it is, and who has what of it; nulls '
  'where it tells of none.';

-- Whoever stands too far back to be told has the code of the limit alone.
CREATE VIEW cox.limit_waits AS
  SELECT w.reason, l.owner, l.name AS limit_name,
         (array_agg(l.most ORDER BY w.last_judged_at DESC, w.id))[1] AS most,
         (array_agg(l.used ORDER BY w.last_judged_at DESC, w.id))[1] AS used,
         sum(t.tasks)::bigint AS jobs, count(DISTINCT w.user_name) AS users,
         array_agg(DISTINCT w.user_name) AS user_names, min(w.id) AS first_job,
         min(w.first_judged_at) AS since, max(w.waiting) AS longest,
         sum(t.tasks * j.nodes)::bigint AS nodes,
         sum(t.tasks * j.tasks * j.cpus_per_task)::bigint AS cpus,
         sum(t.tasks * j.nodes * j.memory_mb_per_node)::bigint AS memory_mb,
         trim_scale(sum(t.tasks * j.nodes * j.gpus_per_node * j.gpu_milli) / 1000.0) AS gpus
    FROM cox.waiting w
    JOIN cox.job j ON j.id = w.id
    CROSS JOIN LATERAL (SELECT cox.task_count(w.array_tasks) AS tasks) t
    CROSS JOIN LATERAL cox.limit_in(w.detail) l
    WHERE w.reason ~ '^(QOS|Assoc)' OR w.reason = 'JobArrayTaskLimit'
    GROUP BY w.reason, l.owner, l.name
    ORDER BY jobs DESC, w.reason, l.owner, l.name;
COMMENT ON VIEW cox.limit_waits IS
  'The limits of QOS, accounts and arrays that keep jobs back now, and what waits for each. A job '
  'that several keep back counts for the first of them; cox why names all.';
COMMENT ON COLUMN cox.limit_waits.reason IS 'What they wait for, by Slurm''s code.';
COMMENT ON COLUMN cox.limit_waits.owner IS
  'Whose limit: QOS standard, account physics, array 12; null: of jobs too far back to be told.';
COMMENT ON COLUMN cox.limit_waits.limit_name IS 'Which: GrpTRES gres/gpu. Null likewise.';
COMMENT ON COLUMN cox.limit_waits.most IS 'What it is.';
COMMENT ON COLUMN cox.limit_waits.used IS 'What is in use of it, and by which jobs.';
COMMENT ON COLUMN cox.limit_waits.jobs IS 'How many jobs wait, each task of an array for itself.';
COMMENT ON COLUMN cox.limit_waits.users IS 'How many users they are of.';
COMMENT ON COLUMN cox.limit_waits.user_names IS 'Which.';
COMMENT ON COLUMN cox.limit_waits.first_job IS 'The oldest of them, to ask cox why about.';
COMMENT ON COLUMN cox.limit_waits.since IS
  'When the first of them was found to wait, for whatever it waited then.';
COMMENT ON COLUMN cox.limit_waits.longest IS 'How long the one has been waiting that waits longest.';
COMMENT ON COLUMN cox.limit_waits.nodes IS 'Nodes that all of them ask for together.';
COMMENT ON COLUMN cox.limit_waits.cpus IS 'CPUs likewise.';
COMMENT ON COLUMN cox.limit_waits.memory_mb IS 'Memory likewise, in MiB.';
COMMENT ON COLUMN cox.limit_waits.gpus IS 'GPUs likewise; parts of one count as parts.';

-- What counts by minutes, beside what holds room now.
CREATE FUNCTION cox.minutes_text(tres text[], seconds double precision[])
  RETURNS text LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog AS $$
  SELECT coalesce(string_agg(u.tres || '=' || round(u.seconds / 60), ',' ORDER BY u.tres), '')
    FROM unnest(minutes_text.tres, minutes_text.seconds) AS u (tres, seconds)
$$;
COMMENT ON FUNCTION cox.minutes_text(text[], double precision[]) IS
  'What was used, as limits in minutes are written: cpu=120,gres/gpu=60,wall=60.';

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
             coalesce(sum(h.nodes), 0)::bigint AS nodes, coalesce(sum(h.cpus), 0)::bigint AS cpus,
             coalesce(sum(h.memory_mb), 0)::bigint AS memory_mb, coalesce(sum(h.gpus), 0) AS gpus
        FROM cox.job j
        LEFT JOIN (
          SELECT a.job_id, count(*) AS nodes, sum(n.cpus) AS cpus, sum(n.memory_mb) AS memory_mb,
                 sum(cardinality(n.gpus) * n.gpu_milli) / 1000.0 AS gpus
            FROM cox.attempt a
            JOIN cox.attempt_node n ON n.job_id = a.job_id AND n.attempt = a.attempt
            WHERE a.ended_at IS NULL
            GROUP BY a.job_id) h ON h.job_id = j.id
        WHERE j.ended_at IS NULL
        GROUP BY GROUPING SETS ((j.qos), (j.qos, j.user_name))) u ON u.qos = q.name
    ORDER BY q.tier DESC, q.name, u.user_name NULLS FIRST;
COMMENT ON COLUMN cox.qos_usage.max_minutes IS
  'What all of them may have used lately, in minutes; empty: any.';
COMMENT ON COLUMN cox.qos_usage.max_wall_s IS
  'How long all of them may have run lately, in seconds; null: any time.';
COMMENT ON COLUMN cox.qos_usage.minutes_used IS
  'What the jobs of all that are over had used at minutes_used_at, in minutes; null: nothing. '
  'Halved with each half-life since.';
COMMENT ON COLUMN cox.qos_usage.minutes_used_at IS 'When that was added up.';

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
           coalesce(sum(h.cpus), 0)::bigint AS cpus, coalesce(sum(h.gpus), 0) AS gpus
      FROM cox.job j
      LEFT JOIN (
        SELECT a.job_id, sum(n.cpus) AS cpus,
               sum(cardinality(n.gpus) * n.gpu_milli) / 1000.0 AS gpus
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
         a.guarantee, a.deserved
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
    ORDER BY t.path, a.user_name, a.partition;
COMMENT ON COLUMN cox.associations.guarantee IS 'Of an account: what is always its own.';
COMMENT ON COLUMN cox.associations.deserved IS
  'Of an account: what is its own while its jobs ask for it.';
SELECT cox.grant_reader();
