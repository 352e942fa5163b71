CREATE OR REPLACE FUNCTION cox.incarnation() RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog AS
  $$SELECT (SELECT system_identifier FROM pg_control_system()) || '/'
        || (SELECT oid FROM pg_database WHERE datname = current_database()) || '/'
        || 'cox.turn'::regclass::oid$$;
COMMENT ON FUNCTION cox.incarnation() IS
  'Which copy of the database this is: another one after pg_restore, or in another PostgreSQL.';
