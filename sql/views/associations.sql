-- Counts usage as limits do: what jobs asked for. A job with exclusive nodes counts no more than
-- that.
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
COMMENT ON VIEW cox.associations IS
  'The tree of accounts, with limits and present usage. An account''s usage includes all below it.';
COMMENT ON COLUMN cox.associations.path IS 'The path of the account in the tree: root/physics/lattice.';
COMMENT ON COLUMN cox.associations.account IS 'The account.';
COMMENT ON COLUMN cox.associations.user_name IS 'A user of the account; null: the account itself.';
COMMENT ON COLUMN cox.associations.partition IS 'For users: the row is only for jobs in this partition; null: in any.';
COMMENT ON COLUMN cox.associations.shares IS 'Fairshare, relative to its siblings.';
COMMENT ON COLUMN cox.associations.shares_of_parent IS 'Fairshare=parent: it has the fairshare factor of its parent.';
COMMENT ON COLUMN cox.associations.is_default IS 'The user''s jobs without --account are charged to it.';
COMMENT ON COLUMN cox.associations.submitted IS 'Pending and running jobs.';
COMMENT ON COLUMN cox.associations.running IS 'Jobs that hold resources.';
COMMENT ON COLUMN cox.associations.cpus IS
  'CPUs in use, as limits count them: what the jobs asked for, even if they have their nodes '
  'exclusively.';
COMMENT ON COLUMN cox.associations.gpus IS 'GPUs, likewise; a share of a GPU counts as a fraction.';
COMMENT ON COLUMN cox.associations.grp_tres IS 'Limit on resources in use; empty: none.';
COMMENT ON COLUMN cox.associations.grp_jobs IS 'Limit on running jobs; null: none.';
COMMENT ON COLUMN cox.associations.grp_submit_jobs IS 'Limit on pending and running jobs; null: none.';
COMMENT ON COLUMN cox.associations.grp_tres_mins IS 'Limit on decayed usage, in minutes.';
COMMENT ON COLUMN cox.associations.grp_wall_s IS 'Limit on decayed run time, in seconds.';
COMMENT ON COLUMN cox.associations.max_tres_per_job IS 'Limit on what one job asks for.';
COMMENT ON COLUMN cox.associations.max_jobs IS 'Limit on the running jobs of one user.';
COMMENT ON COLUMN cox.associations.max_submit_jobs IS 'Limit on the pending and running jobs of one user.';
COMMENT ON COLUMN cox.associations.max_wall_s IS 'The longest time limit, in seconds.';
COMMENT ON COLUMN cox.associations.qos IS 'The QOSes that its jobs may have; empty: those of the parent.';
COMMENT ON COLUMN cox.associations.default_qos IS 'The QOS of jobs without --qos.';
COMMENT ON COLUMN cox.associations.guarantee IS 'For accounts: the guaranteed quota.';
COMMENT ON COLUMN cox.associations.deserved IS
  'For accounts: the deserved quota. Other accounts may borrow what its jobs do not ask for.';
COMMENT ON COLUMN cox.associations.max_tres_mins_per_job IS
  'Limit on what one job may use until its time limit, in minutes of each resource.';
COMMENT ON COLUMN cox.associations.minutes_used IS
  'Usage of ended jobs, in minutes, for each association as of its cox.association.usage_at; null: none. '
  'It has decayed by the half-life since: cox show accounts shows what counts now.';
COMMENT ON COLUMN cox.associations.minutes_used_at IS 'When usage was last added.';
COMMENT ON COLUMN cox.associations.held IS
  'All resources in use, by their names in limits: '
  'cpu=2,gres/gpu=1,gres/gpu:h100=1,license/matlab=1,mem=600,node=2 (mem in MiB).';
COMMENT ON COLUMN cox.associations.minutes_promised IS
  'What running jobs may still be charged until their time limits, in minutes; jobs with exclusive nodes '
  'are charged for whole nodes. Limits count it in addition to minutes_used. Null: nothing.';
