-- A partition that cannot be created now is skipped, because the default partition has rows of that
-- month, or because a reader holds a lock. The default partition then takes its events, and the
-- next call tries again.
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
          'Events of ' || to_char(month, 'YYYY-MM') || '; drop the table to delete them.');
        PERFORM cox.guard_event_partition(partition_name);
      EXCEPTION WHEN check_violation OR lock_not_available OR insufficient_privilege THEN
        RAISE NOTICE 'cannot create partition % of cox.job_event now: %', partition_name, SQLERRM;
      END;
    END IF;
    month := month + interval '1 month';
  END LOOP;
END $$;
COMMENT ON FUNCTION cox.create_event_partitions(timestamptz, integer) IS
  'Creates the monthly partitions of cox.job_event, from a time on, for a number of months ahead.';
REVOKE ALL ON FUNCTION cox.create_event_partitions FROM PUBLIC;
