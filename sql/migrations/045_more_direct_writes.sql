-- Some tables that the controller alone writes had no guard yet (042_direct_writes.sql). Without the row of
-- cox.turn or cox.leadership no controller can lead. An UPDATE of these two, and an INSERT into cox.failover,
-- stay free: they come outside of a turn, also from controllers of the version before that stand by.
DO $$
DECLARE
  guarded record;
BEGIN
  FOR guarded IN
    SELECT * FROM (VALUES
      ('turn', 'INSERT OR DELETE OR TRUNCATE', 'It says who may write: no command changes it.'),
      ('leadership', 'INSERT OR DELETE OR TRUNCATE',
       'It says who leads: to have another controller lead, end the one that does.'),
      ('schema_version', 'INSERT OR UPDATE OR DELETE OR TRUNCATE',
       'It says which migrations the database has had: no command changes it.'),
      ('failover', 'UPDATE OR DELETE OR TRUNCATE', 'It records what happened: no command changes it.'),
      ('reservation_event', 'INSERT OR UPDATE OR DELETE OR TRUNCATE',
       'It records what happened: no command changes it.'),
      ('node_event', 'INSERT OR TRUNCATE', 'It records what happened: no command changes it.'),
      ('job_event', 'INSERT OR TRUNCATE', 'It records what happened: no command changes it.'),
      ('request', 'UPDATE OR TRUNCATE', 'To ask, use sacctmgr, or CALL cox.sacctmgr(...).'))
      AS t(name, operations, hint)
  LOOP
    EXECUTE format(
      'CREATE TRIGGER refuse_direct_write BEFORE %s ON cox.%I '
      'FOR EACH STATEMENT EXECUTE FUNCTION cox.refuse_direct_write(%L)',
      guarded.operations, guarded.name, guarded.hint);
  END LOOP;
END $$;

-- Statement triggers of cox.job_event do not hold for its partitions.
CREATE FUNCTION cox.guard_event_partition(name text)
  RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  EXECUTE format(
    'CREATE TRIGGER refuse_direct_write BEFORE INSERT OR TRUNCATE ON cox.%I '
    'FOR EACH STATEMENT EXECUTE FUNCTION cox.refuse_direct_write(%L)', name,
    'It records what happened: no command changes it.');
END $$;
COMMENT ON FUNCTION cox.guard_event_partition(text) IS
  'Refuses direct writes to a partition of cox.job_event. It may be dropped whole.';
SELECT cox.guard_event_partition(c.relname)
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'cox.job_event'::regclass;

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
