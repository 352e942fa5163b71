-- `amount` is what limits on resources in use count: what the job asked for, with GPUs by the type
-- of the first GPU on each node. `granted` is what limits in minutes count: all that the job got on
-- its nodes, since that is charged when it ends.
CREATE OR REPLACE FUNCTION cox.held_by_jobs()
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
  'The resources of each running job: amount is what it asked for, as limits count; granted is what it '
  'is charged for. tres: cpu, mem in MiB, node, gres/gpu, gres/gpu:TYPE, gres/NAME, license/NAME, wall.';
