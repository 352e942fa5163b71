-- A restart goes on with the id after the highest in cox.job. So if an administrator deletes the
-- newest jobs, their ids must be remembered, or they would be issued again.
CREATE OR REPLACE FUNCTION cox.keep_job_ids()
  RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  next_id bigint;
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    next_id := (SELECT max(id) + 1 FROM cox.job);
  ELSE
    next_id := (SELECT max(id) + 1 FROM gone);
  END IF;
  UPDATE cox.turn SET job_id_floor = next_id WHERE job_id_floor < next_id;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION cox.keep_job_ids() IS
  'Raises cox.turn.job_id_floor above the ids of deleted jobs, so that none is issued again.';

CREATE OR REPLACE TRIGGER keep_job_ids AFTER DELETE ON cox.job REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION cox.keep_job_ids();
CREATE OR REPLACE TRIGGER keep_job_ids_of_all BEFORE TRUNCATE ON cox.job
  FOR EACH STATEMENT EXECUTE FUNCTION cox.keep_job_ids();
