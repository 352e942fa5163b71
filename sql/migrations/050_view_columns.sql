-- Adds to the views the TRES and the priority of jobs, the GPU types of nodes and nodes that are set
-- DOWN. Renames CPU-seconds and GPU-seconds: they are allocated, not used.
ALTER TABLE cox.job_wait
  ADD COLUMN priority double precision NOT NULL DEFAULT 0,
  ADD COLUMN priority_of_age double precision NOT NULL DEFAULT 0,
  ADD COLUMN age_full_s bigint NOT NULL DEFAULT 0 CHECK (age_full_s >= 0);
COMMENT ON COLUMN cox.job_wait.priority IS
  'The priority inside the QOS when the row was last written, without what the age adds.';
COMMENT ON COLUMN cox.job_wait.priority_of_age IS
  'What the age adds at most; 0: nothing, as with every order but multifactor.';
COMMENT ON COLUMN cox.job_wait.age_full_s IS
  'After so many seconds of waiting the age adds all of that; before, in proportion.';

CREATE FUNCTION cox.priority_now(w cox.job_wait, eligible_at timestamptz)
  RETURNS double precision LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
  SELECT round(w.priority + CASE WHEN w.age_full_s > 0
    THEN w.priority_of_age * greatest(0, least(1, extract(epoch FROM now() - eligible_at)
                                                  / w.age_full_s)) ELSE 0 END)
$$;
COMMENT ON FUNCTION cox.priority_now(cox.job_wait, timestamptz) IS
  'The priority of a pending job inside its QOS with what its age adds now.';

CREATE OR REPLACE VIEW cox.queue AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition,
         j.tasks + cox.of_components(j.components, 'tasks') AS tasks,
         j.nodes + cox.of_components(j.components, 'nodes') AS nodes,
         CASE WHEN j.state = 'PENDING'
              THEN date_trunc('second', greatest(interval '0', now() - j.eligible_at)) END
           AS waiting,
         CASE WHEN j.state::text IN ('RUNNING', 'SUSPENDED', 'SIGNALING', 'COMPLETING')
              THEN date_trunc('second', cox.run_time(a)) END AS elapsed,
         CASE WHEN j.time_limit_s > 0 THEN make_interval(secs => j.time_limit_s) END AS time_limit,
         (SELECT array_agg(n.node ORDER BY n.position) FROM cox.attempt_node n
            WHERE n.job_id = a.job_id AND n.attempt = a.attempt) AS node_list,
         (SELECT max(c.step) FROM cox.checkpoint c
            WHERE c.job_id = j.id AND NOT c.damaged AND NOT c.pruned) AS saved_step,
         j.attempt, j.held,
         CASE WHEN j.state <> 'PENDING' THEN j.why
              ELSE concat_ws(': ', w.reason, nullif(w.detail, '')) END AS why,
         j.submitted_at,
         nullif(j.array_job, 0) AS array_job, nullif(j.array_task, -1) AS array_task,
         j.array_tasks, j.account,
         cox.told_id(j.id, j.array_job, j.array_task, j.array_tasks) AS job,
         CASE WHEN a.job_id IS NOT NULL THEN h.cpus
              ELSE j.tasks * j.cpus_per_task
                   + cox.of_components(j.components, 'tasks', 'cpus_per_task') END AS cpus,
         CASE WHEN a.job_id IS NOT NULL THEN h.memory_mb
              ELSE j.nodes * j.memory_mb_per_node
                   + cox.of_components(j.components, 'nodes', 'memory_mb_per_node') END
           AS memory_mb,
         trim_scale(CASE WHEN a.job_id IS NOT NULL THEN h.gpu_milli
              ELSE j.nodes * j.gpus_per_node * j.gpu_milli
                   + cox.of_components(j.components, 'nodes', 'gpus_per_node', 'gpu_milli') END
           / 1000.0) AS gpus,
         CASE WHEN j.state <> 'PENDING' THEN NULL WHEN j.held THEN 0
              ELSE cox.priority_now(r, j.eligible_at) END AS priority
    FROM cox.job j
    LEFT JOIN cox.qos q ON q.name = j.qos
    LEFT JOIN cox.attempt a ON a.job_id = j.id AND a.ended_at IS NULL
    LEFT JOIN cox.waiting w ON w.id = j.id
    LEFT JOIN cox.job_wait r ON r.job_id = j.id
    CROSS JOIN LATERAL (
      SELECT sum(n.cpus)::bigint AS cpus, sum(n.memory_mb)::bigint AS memory_mb,
             sum(cardinality(n.gpus) * n.gpu_milli)::bigint AS gpu_milli
        FROM cox.attempt_node n WHERE n.job_id = a.job_id AND n.attempt = a.attempt) h
    WHERE j.ended_at IS NULL
    ORDER BY j.state = 'PENDING', q.tier DESC NULLS LAST, j.eligible_at, j.id;
COMMENT ON COLUMN cox.queue.cpus IS
  'CPUs that its live attempt was granted; of one that waits those asked for, of an array of one task.';
COMMENT ON COLUMN cox.queue.memory_mb IS
  'Memory of all its nodes in MiB, likewise; 0: no amount is asked for.';
COMMENT ON COLUMN cox.queue.gpus IS 'GPUs of all its nodes, likewise; parts of one count as parts.';
COMMENT ON COLUMN cox.queue.priority IS
  'Of one that waits its priority inside its QOS, the higher first: its age as of now, all else as of '
  'when cox.waiting was last told of it; sprio has all as of now. 0: held. Null: it runs, or it is '
  'not judged yet.';

CREATE OR REPLACE VIEW cox.nodes AS
  SELECT n.name,
         CASE WHEN NOT n.responding OR n.set_down THEN 'DOWN'
              WHEN n.drained AND count(a.job_id) > 0 THEN 'DRAINING'
              WHEN n.drained THEN 'DRAINED' WHEN count(a.job_id) = 0 THEN 'IDLE'
              WHEN coalesce(sum(u.cpus), 0) >= n.cpus THEN 'ALLOCATED' ELSE 'MIXED' END AS state,
         n.cpus, coalesce(sum(u.cpus), 0)::bigint AS cpus_used,
         n.memory_mb,
         coalesce(sum(g.memory_mb), 0)::bigint AS memory_mb_used,
         cardinality(n.gpu_index) AS gpus,
         (SELECT count(DISTINCT one) FROM cox.attempt b
            JOIN cox.attempt_node h ON h.job_id = b.job_id AND h.attempt = b.attempt
            CROSS JOIN LATERAL unnest(h.gpus) one
            WHERE h.node = n.name AND b.ended_at IS NULL AND h.given_back_at IS NULL) AS gpus_used,
         array_remove(array_agg(a.job_id ORDER BY a.job_id), NULL) AS jobs,
         n.features, n.reason, n.address, n.version, n.changed_at,
         n.drained_by, cox.failure_score(n.failure_at, now()) AS failure_score,
         ARRAY(SELECT DISTINCT t FROM unnest(n.gpu_type) AS t WHERE t <> '' ORDER BY t) AS gpu_types
    FROM cox.node n
    LEFT JOIN (cox.attempt a JOIN cox.attempt_node g
                 ON g.job_id = a.job_id AND g.attempt = a.attempt
               CROSS JOIN LATERAL (
                 SELECT CASE WHEN a.suspended AND g.suspension >= a.suspension
                             THEN 0 ELSE g.cpus END AS cpus) u)
      ON g.node = n.name AND a.ended_at IS NULL AND g.given_back_at IS NULL
    GROUP BY n.name
    ORDER BY n.name;
COMMENT ON COLUMN cox.nodes.gpu_types IS
  'Types of its GPUs, each once; empty: it has none, or their types are not known.';

ALTER VIEW cox.history RENAME COLUMN cpu_seconds TO cpu_seconds_allocated;
ALTER VIEW cox.history RENAME COLUMN gpu_seconds TO gpu_seconds_allocated;
COMMENT ON COLUMN cox.history.cpu_seconds_allocated IS
  'CPU-seconds that its attempts held while they ran, used or not: CPUs times run time. What '
  'processes used is in cox.attempt_node: user_cpu_ms and system_cpu_ms.';
COMMENT ON COLUMN cox.history.gpu_seconds_allocated IS
  'GPU-seconds that its attempts held while they ran, used or not.';

SELECT cox.grant_reader();
