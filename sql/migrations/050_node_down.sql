-- An operator can set a node DOWN: it gets no new work, and its jobs are ended.
ALTER TABLE cox.node
  ADD COLUMN set_down boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT node_set_down CHECK (drained OR NOT set_down);
COMMENT ON COLUMN cox.node.set_down IS
  'An operator set it DOWN, and its jobs were ended or requeued: scontrol update NodeName=NODE '
  'State=RESUME.';
COMMENT ON COLUMN cox.node_event.what IS
  'What: not responding, returned, drained, down, resumed, failure, forgiven, fence, fenced.';

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
SELECT cox.grant_reader();
