-- A turn hands over the rows of a table as one array of that table's type, not as an array for each
-- column: PostgreSQL unpacks one instead of fifty. What it changes of jobs has a type of its own.
CREATE TYPE cox.job_move AS (
  id bigint, state cox.job_state, attempt integer, held boolean, why text,
  eligible_at timestamptz, started_at timestamptz, ended_at timestamptz, exit_code integer,
  exit_signal integer, restarts integer, avoid_nodes text[],
  state_left cox.job_state, attempt_left integer);
COMMENT ON TYPE cox.job_move IS 'What a turn changes of a job, and the state and attempt it leaves.';

-- A foreign key asked of every job by itself whether its tier is there: a quarter of what its row
-- took. The controller admits jobs to tiers that it knows only, so it is enough that none goes.
ALTER TABLE cox.job DROP CONSTRAINT job_has_qos;

CREATE FUNCTION cox.keep_qos()
  RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.name = OLD.name THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'a QOS can be neither deleted nor renamed'
    USING ERRCODE = '23001', HINT = 'Jobs may have it. Change its other columns, or add another.';
END $$;
COMMENT ON FUNCTION cox.keep_qos() IS 'Keeps every tier that jobs may have: cox.job refers to it.';
CREATE TRIGGER keep_qos BEFORE DELETE OR UPDATE ON cox.qos
  FOR EACH ROW EXECUTE FUNCTION cox.keep_qos();
CREATE TRIGGER keep_all_qos BEFORE TRUNCATE ON cox.qos
  FOR EACH STATEMENT EXECUTE FUNCTION cox.keep_qos();
COMMENT ON COLUMN cox.job.qos IS 'Its tier: a row of cox.qos, which stays for ever.';

COMMENT ON COLUMN cox.attempt.went_at IS
  'When the ranks were let go, or may have begun to run without a word of it; null: never.';
