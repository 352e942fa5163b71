-- The read-only role. Its timeouts are part of its purpose: a forgotten open transaction of an
-- administrator halves the controller's throughput within seconds. A role's settings apply to
-- logins of that role, never to its members, so it may log in; it has no password until it is given
-- one.
CREATE OR REPLACE FUNCTION cox.grant_reader()
  RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  relation text;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'cox_reader') THEN
    CREATE ROLE cox_reader LOGIN;
  END IF;
  ALTER ROLE cox_reader SET statement_timeout = '30s';
  ALTER ROLE cox_reader SET idle_in_transaction_session_timeout = '60s';
  ALTER ROLE cox_reader SET default_transaction_read_only = on;
  ALTER ROLE cox_reader SET search_path = cox;
  GRANT USAGE ON SCHEMA cox TO cox_reader;
  -- Not what may hold secrets. Not the parts of cox.job_event: it speaks for them.
  FOR relation IN SELECT relname FROM pg_class
      WHERE relnamespace = 'cox'::regnamespace AND relkind IN ('r', 'p', 'v')
        AND NOT relispartition AND relname NOT IN ('blob', 'crontab') LOOP
    EXECUTE format('GRANT SELECT ON cox.%I TO cox_reader', relation);
  END LOOP;
EXCEPTION
  WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN
    RAISE NOTICE 'role cox_reader is not set up: %. As a superuser: SELECT cox.grant_reader();',
      SQLERRM;
END $$;
COMMENT ON FUNCTION cox.grant_reader() IS
  'Creates the read-only role cox_reader, sets its timeouts and grants it all but cox.blob and '
  'cox.crontab.';
REVOKE ALL ON FUNCTION cox.grant_reader FROM PUBLIC;
