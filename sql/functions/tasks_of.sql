-- STRICT keeps the planner from inlining the function, and ROWS from its default estimate of a
-- thousand tasks.
CREATE OR REPLACE FUNCTION cox.tasks_of(array_tasks text, array_task bigint) RETURNS SETOF bigint
  LANGUAGE sql IMMUTABLE STRICT ROWS 4 AS $$
  SELECT array_task WHERE array_tasks = ''
  UNION ALL
  SELECT generate_series(m[1]::bigint, coalesce(m[2], m[1])::bigint, coalesce(m[3], '1')::bigint)
    FROM regexp_split_to_table(array_tasks, ',') AS part,
         regexp_match(part, '^(\d+)(?:-(\d+))?(?::(\d+))?$') AS m
    WHERE array_tasks <> '' $$;
COMMENT ON FUNCTION cox.tasks_of IS
  'Returns the array tasks that a row of cox.job stands for.';
