-- If no scheduling pass has explained a job, since it is far back in the queue, only the reason
-- code of the limit is known.
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
  'The limits of QOSes, accounts and arrays that jobs wait for now, with these jobs. A job that waits for '
  'several limits counts for the first of them; cox why shows all.';
COMMENT ON COLUMN cox.limit_waits.reason IS 'The pending reason, by Slurm''s code.';
COMMENT ON COLUMN cox.limit_waits.owner IS
  'Owner of the limit: QOS standard, account physics, array 12; null: jobs too far back in the queue.';
COMMENT ON COLUMN cox.limit_waits.limit_name IS 'The limit: GrpTRES gres/gpu. Null likewise.';
COMMENT ON COLUMN cox.limit_waits.most IS 'The value of the limit.';
COMMENT ON COLUMN cox.limit_waits.used IS 'How much of it is in use, and by which jobs.';
COMMENT ON COLUMN cox.limit_waits.jobs IS 'Number of jobs that wait; each array task counts.';
COMMENT ON COLUMN cox.limit_waits.users IS 'Number of their users.';
COMMENT ON COLUMN cox.limit_waits.user_names IS 'Names of these users.';
COMMENT ON COLUMN cox.limit_waits.first_job IS 'The oldest of these jobs; for cox why.';
COMMENT ON COLUMN cox.limit_waits.since IS
  'When the first of them began to wait, for any reason.';
COMMENT ON COLUMN cox.limit_waits.longest IS 'The longest wait of any of these jobs.';
COMMENT ON COLUMN cox.limit_waits.nodes IS 'Nodes that these jobs ask for in total.';
COMMENT ON COLUMN cox.limit_waits.cpus IS 'CPUs, likewise.';
COMMENT ON COLUMN cox.limit_waits.memory_mb IS 'Memory, likewise, in MiB.';
COMMENT ON COLUMN cox.limit_waits.gpus IS 'GPUs, likewise; a share of a GPU counts as a fraction.';
