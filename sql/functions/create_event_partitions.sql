-- A partition that cannot be made now (rows of that month are in the default partition, or a reader
-- holds its lock) is passed over. The default partition takes the events, and the next call tries
-- again.
CREATE OR REPLACE FUNCTION cox.create_event_partitions(since timestamptz, months integer)
  RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  month timestamp := date_trunc('month', since AT TIME ZONE 'UTC');
  partition_name text;
BEGIN
  FOR ahead IN 0..months LOOP
    partition_name := 'job_event_' || to_char(month, 'YYYY_MM');
    IF to_regclass('cox.' || partition_name) IS NULL THEN
      BEGIN
        EXECUTE format(
          'CREATE TABLE cox.%I PARTITION OF cox.job_event FOR VALUES FROM (%L) TO (%L)',
          partition_name, to_char(month, 'YYYY-MM-DD') || ' 00:00:00+00',
          to_char(month + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00');
        EXECUTE format('COMMENT ON TABLE cox.%I IS %L', partition_name,
          'Events of ' || to_char(month, 'YYYY-MM') || '; drop it to forget them.');
        PERFORM cox.guard_event_partition(partition_name);
      EXCEPTION WHEN check_violation OR lock_not_available OR insufficient_privilege THEN
        RAISE NOTICE 'no partition % of cox.job_event now: %', partition_name, SQLERRM;
      END;
    END IF;
    month := month + interval '1 month';
  END LOOP;
END $$;
COMMENT ON FUNCTION cox.create_event_partitions(timestamptz, integer) IS
  'Creates the month partitions of cox.job_event from a time on, so many months ahead.';
REVOKE ALL ON FUNCTION cox.create_event_partitions FROM PUBLIC;
