CREATE OR REPLACE FUNCTION cox.refuse_to_rewrite_history()
  RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'cox.job_event is append-only'
    USING ERRCODE = '23001', HINT = 'To delete old months, drop their partitions.';
END $$;
COMMENT ON FUNCTION cox.refuse_to_rewrite_history() IS 'Keeps cox.job_event append-only.';
REVOKE ALL ON FUNCTION cox.refuse_to_rewrite_history FROM PUBLIC;

CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE ON cox.job_event
  FOR EACH ROW EXECUTE FUNCTION cox.refuse_to_rewrite_history();
