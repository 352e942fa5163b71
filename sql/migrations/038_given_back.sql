-- A stopping attempt gives back each node when nothing of it is left there, not all at its end.
ALTER TABLE cox.attempt_node ADD COLUMN given_back_at timestamptz;
COMMENT ON COLUMN cox.attempt_node.given_back_at IS
  'When other jobs could have the room on this node again; null: with the end of the attempt.';

CREATE OR REPLACE VIEW cox.nodes AS
  SELECT n.name,
         CASE WHEN NOT n.responding THEN 'DOWN'
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
         n.drained_by, cox.failure_score(n.failure_at, now()) AS failure_score
    FROM cox.node n
    LEFT JOIN (cox.attempt a JOIN cox.attempt_node g
                 ON g.job_id = a.job_id AND g.attempt = a.attempt
               CROSS JOIN LATERAL (
                 SELECT CASE WHEN a.suspended AND g.suspension >= a.suspension
                             THEN 0 ELSE g.cpus END AS cpus) u)
      ON g.node = n.name AND a.ended_at IS NULL AND g.given_back_at IS NULL
    GROUP BY n.name
    ORDER BY n.name;
COMMENT ON COLUMN cox.nodes.gpus_used IS
  'GPUs of which live attempts have all or a part, and have not given them back.';
COMMENT ON COLUMN cox.node_event.what IS
  'What: not responding, returned, drained, resumed, failure, forgiven, fence, fenced.';

SELECT cox.grant_reader();
