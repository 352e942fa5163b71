-- A suspended attempt holds everything that it was granted except its CPUs. A GPU that several jobs
-- share counts as one GPU in use.
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
COMMENT ON VIEW cox.nodes IS
  'The nodes: their resources, what of these is granted, and to which jobs.';
COMMENT ON COLUMN cox.nodes.name IS 'The node.';
COMMENT ON COLUMN cox.nodes.state IS
  'IDLE, MIXED, ALLOCATED, DRAINING, DRAINED, or DOWN when it does not respond.';
COMMENT ON COLUMN cox.nodes.cpus IS 'Number of CPUs.';
COMMENT ON COLUMN cox.nodes.cpus_used IS
  'CPUs granted to live attempts, except suspended ones.';
COMMENT ON COLUMN cox.nodes.memory_mb IS 'Memory in MiB.';
COMMENT ON COLUMN cox.nodes.memory_mb_used IS 'Memory granted to live attempts, in MiB.';
COMMENT ON COLUMN cox.nodes.gpus IS 'Number of GPUs.';
COMMENT ON COLUMN cox.nodes.gpus_used IS
  'GPUs that live attempts hold, in whole or in part.';
COMMENT ON COLUMN cox.nodes.jobs IS 'The jobs that hold resources of the node.';
COMMENT ON COLUMN cox.nodes.features IS 'Features that --constraint can name.';
COMMENT ON COLUMN cox.nodes.reason IS 'Why the node is drained or not responding.';
COMMENT ON COLUMN cox.nodes.address IS 'Numeric address.';
COMMENT ON COLUMN cox.nodes.version IS 'Version of its worker.';
COMMENT ON COLUMN cox.nodes.changed_at IS 'When its row last changed.';
COMMENT ON COLUMN cox.nodes.drained_by IS 'What drained it: person, health_check, failures, kill_task, prolog_epilog; nobody: not drained.';
COMMENT ON COLUMN cox.nodes.failure_score IS
  'Failures that were the node''s fault: each counts 1, and half as much with every hour.';
COMMENT ON COLUMN cox.nodes.gpu_types IS
  'Types of its GPUs, each once; empty: it has none, or their types are unknown.';
