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
