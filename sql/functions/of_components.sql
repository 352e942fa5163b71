CREATE OR REPLACE FUNCTION cox.of_components(components jsonb, a text, b text DEFAULT NULL,
                                  c text DEFAULT NULL)
RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN components = '[]' THEN 0 ELSE (
    SELECT sum((one ->> a)::bigint * coalesce((one ->> b)::bigint, 1) *
               coalesce((one ->> c)::bigint, 1))
      FROM jsonb_array_elements(components) AS one) END::bigint
$$;
COMMENT ON FUNCTION cox.of_components(jsonb, text, text, text) IS
  'The sum over cox.job.components of a field, or of the product of fields, such as nodes and GPUs per node.';
