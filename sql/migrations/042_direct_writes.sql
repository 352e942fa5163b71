-- The controller keeps a copy of these rows in memory and never reads them again: a change by anybody else
-- would be accepted, ignored, and overwritten later. So the database refuses it. Triggers are restored after
-- the rows (pg_dump writes them last), so a restore passes.
CREATE FUNCTION cox.refuse_direct_write()
  RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF coalesce(current_setting('cox.writer', true), '') <> '' THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'only the controller writes cox.%: it would not see this change', TG_TABLE_NAME
    USING ERRCODE = '42501',
          HINT = TG_ARGV[0] || ' SET cox.writer = ''repair'' allows it for this session: to repair rows '
                 'while no controller runs, or to delete jobs that ended long ago.';
END $$;
COMMENT ON FUNCTION cox.refuse_direct_write() IS
  'Refuses changes outside of a turn of the controller (begin_turn sets cox.writer) and of a migration.';

DO $$
DECLARE
  guarded record;
BEGIN
  FOR guarded IN
    SELECT * FROM (VALUES
      ('job', 'Use cox hold, release, cancel or requeue, or scontrol update JobId=ID NAME=VALUE.'),
      ('attempt', 'It records what happened: no command changes it.'),
      ('attempt_node', 'It records what happened: no command changes it.'),
      ('rank', 'It records what happened: no command changes it.'),
      ('checkpoint', 'It records what was saved: no command changes it.'),
      ('step', 'It records what happened: scancel JOB.STEP ends a step.'),
      ('job_wait', 'It records why jobs wait: cox why JOB explains it.'),
      ('start_estimate', 'It records estimates: no command changes it.'),
      ('blob', 'It holds what was submitted: no command changes it.'),
      ('node', 'Use cox drain NODE or cox resume NODE, or scontrol update NodeName=NODE State=STATE.'),
      ('partition', 'Use scontrol update PartitionName=NAME State=STATE.'),
      ('reservation', 'Use scontrol create, update or delete reservation.'),
      ('association', 'Use sacctmgr, or CALL cox.sacctmgr(''modify account NAME set LIMIT=VALUE'').'),
      ('qos_used', 'It counts what was used: no command changes it.')) AS t(name, hint)
  LOOP
    EXECUTE format(
      'CREATE TRIGGER refuse_direct_write BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON cox.%I '
      'FOR EACH STATEMENT EXECUTE FUNCTION cox.refuse_direct_write(%L)', guarded.name, guarded.hint);
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION cox.begin_turn(our_term bigint, our_turn bigint, our_session bigint)
  RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  found_row cox.turn;
BEGIN
  UPDATE cox.turn SET turn = our_turn
    WHERE term = our_term AND session = our_session AND turn = our_turn - 1;
  IF FOUND THEN
    PERFORM set_config('cox.writer', 'turn', true);  -- until the transaction ends
    RETURN;
  END IF;
  SELECT * INTO found_row FROM cox.turn;
  RAISE EXCEPTION
    'superseded: we are at term % turn % session %, the database at term % turn % session %',
    our_term, our_turn, our_session, found_row.term, found_row.turn, found_row.session
    USING ERRCODE = 'CX001';
END $$;
COMMENT ON FUNCTION cox.begin_turn(bigint, bigint, bigint) IS
  'First in every turn: raises CX001 unless term, turn and session are ours. Then the turn may write.';
