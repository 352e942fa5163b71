CREATE OR REPLACE FUNCTION cox.gres_there_is()
  RETURNS TABLE (name text) LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
  SELECT DISTINCT t.name
    FROM cox.node n
    CROSS JOIN LATERAL (
      SELECT 'gres/gpu' AS name FROM unnest(n.gpu_index)
      UNION ALL SELECT 'gres/gpu:' || g FROM unnest(n.gpu_type) AS g WHERE g <> ''
      UNION ALL SELECT unnest(ARRAY['gres/' || m[1], 'gres/' || m[1] || ':' || m[2]])
        FROM regexp_matches(n.gres, '([^:,]+)(?::([^:,]+))?:(\d+)', 'g') AS m) t
    WHERE t.name IS NOT NULL
$$;
COMMENT ON FUNCTION cox.gres_there_is() IS 'The names of the GPUs and other GRES of all nodes, as in limits.';
