CREATE OR REPLACE FUNCTION cox.association_of(job cox.job)
  RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT a.id FROM cox.association a
    WHERE a.account = job.account AND a.user_name = job.user_name AND a.user_name <> ''
      AND (a.partition = '' OR a.partition = ANY (string_to_array(job.partition, ',')))
    ORDER BY array_position(string_to_array(job.partition, ','), nullif(a.partition, ''))
             NULLS LAST
    LIMIT 1 $$;
COMMENT ON FUNCTION cox.association_of(cox.job) IS
  'To whom a job is charged: the user in the first of its partitions that has a row of its own, else '
  'the user in any; null: to nobody''s row.';
