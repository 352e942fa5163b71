-- The controller keeps a copy of these tables in memory and does not read the rows again. Without
-- this trigger, it would ignore another client's change and overwrite it later. pg_dump writes
-- triggers after the rows, so a restore passes.
CREATE OR REPLACE FUNCTION cox.refuse_direct_write()
  RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF coalesce(current_setting('cox.writer', true), '') <> '' THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'only the controller writes cox.%: it would ignore this change', TG_TABLE_NAME
    USING ERRCODE = '42501',
          HINT = TG_ARGV[0] || ' SET cox.writer = ''repair'' allows it in this session: use it only to repair '
                 'rows while no controller runs, or to delete jobs that ended long ago.';
END $$;
COMMENT ON FUNCTION cox.refuse_direct_write() IS
  'Refuses changes except in a turn of the controller (begin_turn sets cox.writer) or in a migration.';

-- Creates the trigger for these tables and operations. Not refused are those that controllers, also
-- standbys, need outside of a turn: UPDATE of cox.turn and cox.leadership, and INSERT into
-- cox.failover. Other triggers refuse UPDATE and DELETE of the history of jobs and nodes. Statement
-- triggers of cox.job_event do not fire for a partition, so each partition has its own.
DO $$
DECLARE
  guarded record;
BEGIN
  FOR guarded IN
    SELECT * FROM (VALUES
      ('job', 'INSERT OR UPDATE OR DELETE',
       'Use cox hold, release, cancel or requeue, or scontrol update JobId=ID NAME=VALUE.'),
      ('job_event', 'INSERT', 'It records what happened: no command changes it.'),
      ('job_wait', 'INSERT OR UPDATE OR DELETE', 'It records why jobs wait: cox why JOB explains it.'),
      ('start_estimate', 'INSERT OR UPDATE OR DELETE', 'It records estimates: no command changes it.'),
      ('blob', 'INSERT OR UPDATE OR DELETE', 'It holds what was submitted: no command changes it.'),
      ('attempt', 'INSERT OR UPDATE OR DELETE', 'It records what happened: no command changes it.'),
      ('attempt_node', 'INSERT OR UPDATE OR DELETE',
       'It records what happened: no command changes it.'),
      ('rank', 'INSERT OR UPDATE OR DELETE', 'It records what happened: no command changes it.'),
      ('step', 'INSERT OR UPDATE OR DELETE',
       'It records what happened: scancel JOB.STEP ends a step.'),
      ('checkpoint', 'INSERT OR UPDATE OR DELETE', 'It records what was saved: no command changes it.'),
      ('node', 'INSERT OR UPDATE OR DELETE',
       'Use cox drain NODE or cox resume NODE, or scontrol update NodeName=NODE State=STATE.'),
      ('node_event', 'INSERT', 'It records what happened: no command changes it.'),
      ('partition', 'INSERT OR UPDATE OR DELETE',
       'Use scontrol update PartitionName=NAME State=STATE.'),
      ('reservation', 'INSERT OR UPDATE OR DELETE',
       'Use scontrol create, update or delete reservation.'),
      ('reservation_event', 'INSERT OR UPDATE OR DELETE',
       'It records what happened: no command changes it.'),
      ('association', 'INSERT OR UPDATE OR DELETE',
       'Use sacctmgr, or CALL cox.sacctmgr(''modify account NAME set LIMIT=VALUE'').'),
      ('qos_used', 'INSERT OR UPDATE OR DELETE', 'It counts what was used: no command changes it.'),
      ('request', 'UPDATE', 'To make a request, use sacctmgr or CALL cox.sacctmgr(...).'),
      ('crontab', 'INSERT OR UPDATE OR DELETE', 'Use scrontab.'),
      ('crontab_line', 'INSERT OR UPDATE OR DELETE', 'Use scrontab.'),
      ('event_trigger', 'INSERT OR UPDATE OR DELETE', 'Use strigger --set or strigger --clear.'),
      ('turn', 'INSERT OR DELETE', 'It decides which controller may write: no command changes it.'),
      ('leadership', 'INSERT OR DELETE',
       'It records which controller leads: to make another controller lead, end the one that does.'),
      ('failover', 'UPDATE OR DELETE', 'It records what happened: no command changes it.'),
      ('schema_version', 'INSERT OR UPDATE OR DELETE',
       'It records which migrations were applied: no command changes it.'))
      AS t(name, operations, hint)
    UNION ALL
    SELECT relname, 'INSERT', 'It records what happened: no command changes it.'
      FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
      WHERE inhparent = 'cox.job_event'::regclass
  LOOP
    EXECUTE format(
      'CREATE OR REPLACE TRIGGER refuse_direct_write BEFORE %s OR TRUNCATE ON cox.%I '
      'FOR EACH STATEMENT EXECUTE FUNCTION cox.refuse_direct_write(%L)',
      guarded.operations, guarded.name, guarded.hint);
  END LOOP;
END $$;
