CREATE OR REPLACE FUNCTION cox.association_of(job cox.job)
  RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT a.id FROM cox.association a
    WHERE a.account = job.account AND a.user_name = job.user_name AND a.user_name <> ''
      AND (a.partition = '' OR a.partition = ANY (string_to_array(job.partition, ',')))
    ORDER BY array_position(string_to_array(job.partition, ','), nullif(a.partition, ''))
             NULLS LAST
    LIMIT 1 $$;
COMMENT ON FUNCTION cox.association_of(cox.job) IS
  'The association that a job is charged to: the user''s row for the first of the job''s partitions that '
  'has one, else the user''s row for any partition; null: there is none.';
