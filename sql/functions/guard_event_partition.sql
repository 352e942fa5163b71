-- Needed because statement triggers of cox.job_event do not fire for direct writes to a partition.
CREATE OR REPLACE FUNCTION cox.guard_event_partition(name text)
  RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  EXECUTE format(
    'CREATE TRIGGER refuse_direct_write BEFORE INSERT OR TRUNCATE ON cox.%I '
    'FOR EACH STATEMENT EXECUTE FUNCTION cox.refuse_direct_write(%L)', name,
    'It records what happened: no command changes it.');
END $$;
COMMENT ON FUNCTION cox.guard_event_partition(text) IS
  'Makes a partition of cox.job_event refuse direct writes. The whole partition may be dropped.';
