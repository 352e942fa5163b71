-- Creates the read-only role cox_reader. The role needs timeouts: a transaction that an
-- administrator forgets to end halves the controller's throughput within seconds. A role's settings
-- apply only to logins as that role, not to its members, so the role may log in. It has no password
-- until an administrator sets one.
CREATE OR REPLACE FUNCTION cox.grant_reader()
  RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  relation text;
BEGIN
  -- The owner of the schema may grant what it holds, also if it may not create or alter roles.
  BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'cox_reader') THEN
      CREATE ROLE cox_reader LOGIN;
    END IF;
    ALTER ROLE cox_reader SET statement_timeout = '30s';
    ALTER ROLE cox_reader SET idle_in_transaction_session_timeout = '60s';
    ALTER ROLE cox_reader SET default_transaction_read_only = on;
    ALTER ROLE cox_reader SET search_path = cox;
  EXCEPTION
    WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN
      RAISE NOTICE 'role cox_reader is not set up: %. As a superuser: SELECT cox.grant_reader();',
        SQLERRM;
  END;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'cox_reader') THEN
    RETURN;
  END IF;
  GRANT USAGE ON SCHEMA cox TO cox_reader;
  -- Leaves out tables that may hold secrets, and partitions, which the grant on cox.job_event
  -- covers.
  FOR relation IN SELECT relname FROM pg_class
      WHERE relnamespace = 'cox'::regnamespace AND relkind IN ('r', 'p', 'v')
        AND NOT relispartition AND relname NOT IN ('blob', 'crontab') LOOP
    EXECUTE format('GRANT SELECT ON cox.%I TO cox_reader', relation);
  END LOOP;
END $$;
COMMENT ON FUNCTION cox.grant_reader() IS
  'Creates the read-only role cox_reader, sets its timeouts, and grants it everything except cox.blob and '
  'cox.crontab.';
REVOKE ALL ON FUNCTION cox.grant_reader FROM PUBLIC;
