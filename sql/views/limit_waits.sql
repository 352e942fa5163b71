-- A job that no pass explained, because too many jobs stand before it, has only the code of the
-- limit.
CREATE OR REPLACE VIEW cox.limit_waits AS
  SELECT w.reason, l.owner, l.name AS limit_name,
         (array_agg(l.most ORDER BY w.last_judged_at DESC, w.id))[1] AS most,
         (array_agg(l.used ORDER BY w.last_judged_at DESC, w.id))[1] AS used,
         sum(t.tasks)::bigint AS jobs, count(DISTINCT w.user_name) AS users,
         array_agg(DISTINCT w.user_name) AS user_names, min(w.id) AS first_job,
         min(w.first_judged_at) AS since, max(w.waiting) AS longest,
         sum(t.tasks * (j.nodes + cox.of_components(j.components, 'nodes')))::bigint AS nodes,
         sum(t.tasks * (j.tasks * j.cpus_per_task +
                        cox.of_components(j.components, 'tasks', 'cpus_per_task')))::bigint AS cpus,
         sum(t.tasks * (j.nodes * j.memory_mb_per_node +
                        cox.of_components(j.components, 'nodes', 'memory_mb_per_node')))::bigint
           AS memory_mb,
         trim_scale(sum(t.tasks * (j.nodes * j.gpus_per_node * j.gpu_milli +
                                   cox.of_components(j.components, 'nodes', 'gpus_per_node',
                                                     'gpu_milli'))) / 1000.0) AS gpus
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
