-- Limits of a QOS, by Slurm's names. The controller reads the tiers again every few seconds, so a
-- change here takes effect at once: nobody who runs is stopped for it.
-- What common/syntax/tres.h reads, and nothing more: what it could not read would be no limit.
CREATE FUNCTION cox.is_tres(list text)
  RETURNS boolean LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog AS $$
  SELECT list = '' OR (
    SELECT bool_and(one ~ '^((cpu|node)=[0-9]{1,15}'
                          '|mem=([0-9]{1,15}M?|[0-9]{1,12}G|[0-9]{1,9}T|[0-9]{1,6}P)'
                          '|gres/gpu(:[A-Za-z0-9][A-Za-z0-9_.-]{0,62})?=[0-9]{1,6}(\.[0-9]{1,3})?'
                          '|gres/(?!gpu[:=])[A-Za-z0-9][A-Za-z0-9_.-]{0,62}'
                          '(:[A-Za-z0-9][A-Za-z0-9_.-]{0,62})?=[0-9]{1,15}'
                          '|license/[A-Za-z0-9][A-Za-z0-9_.-]{0,62}=[0-9]{1,15})$')
           AND count(*) <= 32 AND count(*) = count(DISTINCT split_part(one, '=', 1))
      FROM unnest(string_to_array(list, ',')) AS one)
$$;
COMMENT ON FUNCTION cox.is_tres(text) IS
  'Whether it is a list like cpu=64,mem=512G,node=4,gres/gpu=8,gres/gpu:h100=4,license/matlab=2.';

ALTER TABLE cox.qos
  ADD COLUMN grp_tres text NOT NULL DEFAULT '' CHECK (cox.is_tres(grp_tres)),
  ADD COLUMN grp_jobs bigint CHECK (grp_jobs >= 0),
  ADD COLUMN grp_submit_jobs bigint CHECK (grp_submit_jobs >= 0),
  ADD COLUMN max_tres_per_user text NOT NULL DEFAULT '' CHECK (cox.is_tres(max_tres_per_user)),
  ADD COLUMN max_jobs_per_user bigint CHECK (max_jobs_per_user >= 0),
  ADD COLUMN max_submit_jobs_per_user bigint CHECK (max_submit_jobs_per_user >= 0),
  ADD COLUMN max_tres_per_job text NOT NULL DEFAULT '' CHECK (cox.is_tres(max_tres_per_job)),
  ADD COLUMN min_tres_per_job text NOT NULL DEFAULT '' CHECK (cox.is_tres(min_tres_per_job)),
  ADD COLUMN max_wall_s bigint CHECK (max_wall_s BETWEEN 1 AND 366 * 24 * 3600);
COMMENT ON COLUMN cox.qos.grp_tres IS
  'What all its jobs may have together while they run: cpu=64,gres/gpu=8. Empty: all there is.';
COMMENT ON COLUMN cox.qos.grp_jobs IS 'How many of its jobs may run; null: any number.';
COMMENT ON COLUMN cox.qos.grp_submit_jobs IS
  'How many of its jobs may wait or run; more are refused; null: any number.';
COMMENT ON COLUMN cox.qos.max_tres_per_user IS 'As grp_tres, of the jobs of each user.';
COMMENT ON COLUMN cox.qos.max_jobs_per_user IS 'As grp_jobs, of each user.';
COMMENT ON COLUMN cox.qos.max_submit_jobs_per_user IS 'As grp_submit_jobs, of each user.';
COMMENT ON COLUMN cox.qos.max_tres_per_job IS 'What a job may ask for; more is refused.';
COMMENT ON COLUMN cox.qos.min_tres_per_job IS 'What a job must ask for; less is refused.';
COMMENT ON COLUMN cox.qos.max_wall_s IS
  'The longest time limit in seconds, and that of who asks for none; null: any.';

CREATE VIEW cox.qos_usage AS
  SELECT q.name AS qos, u.user_name, coalesce(u.submitted, 0) AS submitted,
         coalesce(u.running, 0) AS running, coalesce(u.nodes, 0) AS nodes,
         coalesce(u.cpus, 0) AS cpus, coalesce(u.memory_mb, 0) AS memory_mb,
         coalesce(trim_scale(u.gpus), 0) AS gpus,
         CASE WHEN u.user_name IS NULL THEN q.grp_tres ELSE q.max_tres_per_user END AS max_tres,
         CASE WHEN u.user_name IS NULL THEN q.grp_jobs ELSE q.max_jobs_per_user END AS max_jobs,
         CASE WHEN u.user_name IS NULL THEN q.grp_submit_jobs
              ELSE q.max_submit_jobs_per_user END AS max_submit_jobs
    FROM cox.qos q
    LEFT JOIN (
      SELECT j.qos, j.user_name, count(*) AS submitted, count(h.job_id) AS running,
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
COMMENT ON VIEW cox.qos_usage IS
  'What the jobs of each QOS, and of each user in it, were granted, and may have. Limits count what '
  'was asked for, which differs where a job has its nodes to itself.';
COMMENT ON COLUMN cox.qos_usage.qos IS 'The tier.';
COMMENT ON COLUMN cox.qos_usage.user_name IS 'Whose jobs; null: all of them.';
COMMENT ON COLUMN cox.qos_usage.submitted IS 'Jobs that wait or run.';
COMMENT ON COLUMN cox.qos_usage.running IS 'Those of them that hold room.';
COMMENT ON COLUMN cox.qos_usage.nodes IS 'Nodes they have, a node for each job that is on it.';
COMMENT ON COLUMN cox.qos_usage.cpus IS 'CPUs they were granted.';
COMMENT ON COLUMN cox.qos_usage.memory_mb IS 'Memory they were granted, in MiB.';
COMMENT ON COLUMN cox.qos_usage.gpus IS 'GPUs they were granted; parts of one count as parts.';
COMMENT ON COLUMN cox.qos_usage.max_tres IS 'What they may have; empty: all there is.';
COMMENT ON COLUMN cox.qos_usage.max_jobs IS 'How many may run; null: any number.';
COMMENT ON COLUMN cox.qos_usage.max_submit_jobs IS 'How many may wait or run; null: any number.';
SELECT cox.grant_reader();
