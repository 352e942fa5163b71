CREATE OR REPLACE FUNCTION cox.command_id(id bigint, array_job bigint, array_task bigint, array_tasks text)
  RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN coalesce(array_job, 0) = 0 THEN id::text
              WHEN length(array_tasks) > 64 THEN array_job || '_' || substring(array_tasks, '^\d+')
              WHEN array_tasks <> '' THEN array_job || '_[' || array_tasks || ']'
              ELSE array_job || '_' || array_task END $$;
COMMENT ON FUNCTION cox.command_id IS
  'The id of a row of cox.job as commands show it: 12, for array tasks 17_4 or 17_[5-9]. If the list of '
  'tasks is longer than 64 characters, only the first task is shown.';
