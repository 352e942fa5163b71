CREATE OR REPLACE FUNCTION cox.timeline() RETURNS bigint LANGUAGE sql SET search_path = pg_catalog AS
  $$SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint$$;
COMMENT ON FUNCTION cox.timeline() IS
  'The timeline to which this server writes; each promotion of a replica begins a new one. It is read from '
  'the WAL, since the control file has it only as of the last checkpoint.';
