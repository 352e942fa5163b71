CREATE OR REPLACE FUNCTION cox.task_count(array_tasks text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN array_tasks = '' THEN 1 ELSE (
    SELECT sum((coalesce(m[2], m[1])::bigint - m[1]::bigint) / coalesce(m[3], '1')::bigint + 1)
      FROM regexp_split_to_table(array_tasks, ',') AS part,
           regexp_match(part, '^(\d+)(?:-(\d+))?(?::(\d+))?$') AS m)::bigint END $$;
COMMENT ON FUNCTION cox.task_count IS
  'The number of array tasks that a row of cox.job stands for, by its array_tasks: five for 0-9:3,12.';
