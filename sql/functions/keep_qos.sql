-- There is no foreign key from cox.job to cox.qos: it would look up the QOS of every job, which is
-- a quarter of the cost of its row. The controller admits only jobs of existing QOSes, so it is
-- enough that only the controller deletes a QOS. The setting cox.removes_qos shows that the
-- controller does it.
CREATE OR REPLACE FUNCTION cox.keep_qos()
  RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.name = OLD.name THEN
      RETURN NEW;
    END IF;
  ELSIF TG_OP = 'DELETE' THEN
    IF current_setting('cox.removes_qos', true) = 'on' AND OLD.name <> 'standard'
       AND NOT EXISTS (SELECT FROM cox.job j WHERE j.qos = OLD.name AND j.ended_at IS NULL) THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'a QOS cannot be renamed, or deleted by SQL, since jobs may have it'
    USING ERRCODE = '23001',
      HINT = 'Change its other columns, add another QOS, or CALL cox.sacctmgr(''delete qos NAME'').';
END $$;
COMMENT ON FUNCTION cox.keep_qos() IS 'Prevents that a QOS which jobs have is deleted or renamed: cox.job refers to it.';

CREATE OR REPLACE TRIGGER keep_qos BEFORE DELETE OR UPDATE ON cox.qos
  FOR EACH ROW EXECUTE FUNCTION cox.keep_qos();
CREATE OR REPLACE TRIGGER keep_all_qos BEFORE TRUNCATE ON cox.qos
  FOR EACH STATEMENT EXECUTE FUNCTION cox.keep_qos();
