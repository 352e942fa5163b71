-- Crontabs (scrontab): a text for each user, and the job that stands for each of its lines.
CREATE TABLE cox.crontab (
  uid bigint PRIMARY KEY,
  user_name text NOT NULL,
  text text NOT NULL,
  changed_at timestamptz NOT NULL
);
COMMENT ON TABLE cox.crontab IS 'The crontab of each user who has one, as scrontab -l prints it.';
COMMENT ON COLUMN cox.crontab.uid IS 'The user.';
COMMENT ON COLUMN cox.crontab.user_name IS 'The user''s name.';
COMMENT ON COLUMN cox.crontab.text IS
  'What the user wrote. Before lines that scancel --cron has ended stands #DISABLED: .';
COMMENT ON COLUMN cox.crontab.changed_at IS 'When it was written, or a line was disabled.';

CREATE TABLE cox.crontab_line (
  uid bigint NOT NULL REFERENCES cox.crontab,
  first_line integer NOT NULL CHECK (first_line > 0),
  last_line integer NOT NULL CHECK (last_line >= first_line),
  schedule text NOT NULL CHECK (schedule <> ''),
  job_id bigint NOT NULL UNIQUE REFERENCES cox.job,
  PRIMARY KEY (uid, first_line)
);
COMMENT ON TABLE cox.crontab_line IS 'The lines of crontabs that ask for jobs.';
COMMENT ON COLUMN cox.crontab_line.uid IS 'The user.';
COMMENT ON COLUMN cox.crontab_line.first_line IS
  'Its first line in the text, from 1: the first of its #SCRON lines, if it has any.';
COMMENT ON COLUMN cox.crontab_line.last_line IS 'The line itself.';
COMMENT ON COLUMN cox.crontab_line.schedule IS
  'When it is due, by local time of the controller: minute, hour, day, month, day of the week.';
COMMENT ON COLUMN cox.crontab_line.job_id IS
  'The job that waits for its next time, or runs. When that job ends, the next one follows in the '
  'same transaction.';

DO $$
DECLARE
  guarded text;
BEGIN
  FOREACH guarded IN ARRAY ARRAY['crontab', 'crontab_line'] LOOP
    EXECUTE format(
      'CREATE TRIGGER refuse_direct_write BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON cox.%I '
      'FOR EACH STATEMENT EXECUTE FUNCTION cox.refuse_direct_write(%L)', guarded,
      'Use scrontab.');
  END LOOP;
END $$;

CREATE VIEW cox.crontabs AS
  SELECT c.user_name, l.first_line, l.last_line, l.schedule, l.job_id, j.state,
         CASE WHEN j.state = 'PENDING' THEN j.begin_at END AS next_at, c.changed_at
    FROM cox.crontab_line l
    JOIN cox.crontab c USING (uid)
    JOIN cox.job j ON j.id = l.job_id
    ORDER BY c.user_name, l.first_line;
COMMENT ON VIEW cox.crontabs IS 'The lines of all crontabs, and when each is due next.';
COMMENT ON COLUMN cox.crontabs.user_name IS 'Whose crontab.';
COMMENT ON COLUMN cox.crontabs.first_line IS 'The first of its #SCRON lines, or the line itself.';
COMMENT ON COLUMN cox.crontabs.last_line IS 'The line itself.';
COMMENT ON COLUMN cox.crontabs.schedule IS
  'When it is due, by local time of the controller: minute, hour, day, month, day of the week.';
COMMENT ON COLUMN cox.crontabs.job_id IS 'The job that stands for it now.';
COMMENT ON COLUMN cox.crontabs.state IS 'The state of that job.';
COMMENT ON COLUMN cox.crontabs.next_at IS 'When that job may start; empty: it has started.';
COMMENT ON COLUMN cox.crontabs.changed_at IS 'When the crontab was last changed.';

-- Commands in a crontab may hold secrets, as scripts may.
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
SELECT cox.grant_reader();
