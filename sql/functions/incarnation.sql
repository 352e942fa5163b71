CREATE OR REPLACE FUNCTION cox.incarnation() RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog AS
  $$SELECT (SELECT system_identifier FROM pg_control_system()) || '/'
        || (SELECT oid FROM pg_database WHERE datname = current_database()) || '/'
        || 'cox.turn'::regclass::oid$$;
COMMENT ON FUNCTION cox.incarnation() IS
  'Identifies this copy of the database. It changes with pg_restore, and in another PostgreSQL cluster.';
