CREATE OR REPLACE FUNCTION cox.told_id(id bigint, array_job bigint, array_task bigint, array_tasks text)
  RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN coalesce(array_job, 0) = 0 THEN id::text
              WHEN length(array_tasks) > 64 THEN array_job || '_' || substring(array_tasks, '^\d+')
              WHEN array_tasks <> '' THEN array_job || '_[' || array_tasks || ']'
              ELSE array_job || '_' || array_task END $$;
COMMENT ON FUNCTION cox.told_id IS
  'A row of cox.job as commands take it: 12, of an array 17_4 or 17_[5-9]; the first of its tasks '
  'where they are too many to be read.';
