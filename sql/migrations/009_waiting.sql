-- Why jobs wait, for whoever looks with SQL, and how good the starts were that they were told.

CREATE TABLE cox.job_wait (
  job_id bigint PRIMARY KEY REFERENCES cox.job ON DELETE CASCADE,
  reason text NOT NULL,
  detail text NOT NULL,
  lines text[] NOT NULL,
  expected_start_at timestamptz,
  first_judged_at timestamptz NOT NULL,
  last_judged_at timestamptz NOT NULL,
  first_estimate_at timestamptz,
  first_estimate_made_at timestamptz
);
COMMENT ON TABLE cox.job_wait IS
  'Why each pending job waits, as it was last judged; the row goes when the job leaves PENDING.';
COMMENT ON COLUMN cox.job_wait.job_id IS 'The job.';
COMMENT ON COLUMN cox.job_wait.reason IS 'Why, by Slurm''s code.';
COMMENT ON COLUMN cox.job_wait.detail IS
  'Why, with numbers, in one line; empty when it stands too far back to be told.';
COMMENT ON COLUMN cox.job_wait.lines IS 'All of it, as cox why tells it.';
COMMENT ON COLUMN cox.job_wait.expected_start_at IS 'When it would start; null: not known.';
COMMENT ON COLUMN cox.job_wait.first_judged_at IS 'When it was first found to wait.';
COMMENT ON COLUMN cox.job_wait.last_judged_at IS
  'When the row was last written: spans of time in its texts count from here.';
COMMENT ON COLUMN cox.job_wait.first_estimate_at IS 'The first start it was told to expect.';
COMMENT ON COLUMN cox.job_wait.first_estimate_made_at IS 'When that was told.';

CREATE TABLE cox.start_estimate (
  job_id bigint NOT NULL REFERENCES cox.job ON DELETE CASCADE,
  attempt integer NOT NULL,
  estimated_at timestamptz NOT NULL,
  actual_at timestamptz NOT NULL,
  made_at timestamptz NOT NULL,
  PRIMARY KEY (job_id, attempt)
);
CREATE INDEX start_estimate_newest ON cox.start_estimate (actual_at);
COMMENT ON TABLE cox.start_estimate IS
  'Of each start that was told before: the first estimate of it, beside when it truly was.';
COMMENT ON COLUMN cox.start_estimate.job_id IS 'The job.';
COMMENT ON COLUMN cox.start_estimate.attempt IS 'The attempt that started.';
COMMENT ON COLUMN cox.start_estimate.estimated_at IS 'The first start it was told to expect.';
COMMENT ON COLUMN cox.start_estimate.actual_at IS 'When it was placed.';
COMMENT ON COLUMN cox.start_estimate.made_at IS 'When the estimate was made.';

CREATE VIEW cox.waiting AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition, j.nodes, j.tasks,
         coalesce(w.reason, 'None') AS reason, coalesce(w.detail, '') AS detail,
         w.expected_start_at, date_trunc('second', now() - j.eligible_at) AS waiting,
         coalesce(w.lines, '{}') AS lines, w.first_judged_at, w.last_judged_at
    FROM cox.job j
    LEFT JOIN cox.job_wait w ON w.job_id = j.id
    LEFT JOIN cox.qos q ON q.name = j.qos
    WHERE j.state = 'PENDING'
    ORDER BY q.tier DESC NULLS LAST, j.eligible_at, j.id;
COMMENT ON VIEW cox.waiting IS 'The jobs that wait, and why.';
COMMENT ON COLUMN cox.waiting.id IS 'The job.';
COMMENT ON COLUMN cox.waiting.state IS 'PENDING.';
COMMENT ON COLUMN cox.waiting.name IS 'Its name.';
COMMENT ON COLUMN cox.waiting.user_name IS 'Whose it is.';
COMMENT ON COLUMN cox.waiting.qos IS 'Its tier.';
COMMENT ON COLUMN cox.waiting.partition IS 'Its partition.';
COMMENT ON COLUMN cox.waiting.nodes IS 'Nodes asked for.';
COMMENT ON COLUMN cox.waiting.tasks IS 'Tasks asked for.';
COMMENT ON COLUMN cox.waiting.reason IS 'Why, by Slurm''s code; None: not judged yet.';
COMMENT ON COLUMN cox.waiting.detail IS 'Why, with numbers.';
COMMENT ON COLUMN cox.waiting.expected_start_at IS 'When it would start; null: not known.';
COMMENT ON COLUMN cox.waiting.waiting IS 'How long it has been waiting.';
COMMENT ON COLUMN cox.waiting.lines IS 'All of it, as cox why tells it.';
COMMENT ON COLUMN cox.waiting.first_judged_at IS 'When it was first found to wait.';
COMMENT ON COLUMN cox.waiting.last_judged_at IS
  'When that was last written: spans of time in the texts count from here.';

CREATE VIEW cox.estimate_accuracy AS
  SELECT count(*) AS starts,
         percentile_cont(0.5) WITHIN GROUP (ORDER BY error_s) AS error_s_median,
         percentile_cont(0.9) WITHIN GROUP (ORDER BY error_s) AS error_s_p90,
         avg((error_s <= greatest(60, wait_s / 10))::integer) AS close_share
    FROM (SELECT abs(extract(epoch FROM actual_at - estimated_at))::double precision AS error_s,
                 extract(epoch FROM actual_at - made_at)::double precision AS wait_s
            FROM cox.start_estimate) AS estimates;
COMMENT ON VIEW cox.estimate_accuracy IS
  'How good the first estimates of starts were, over all starts that were told before.';
COMMENT ON COLUMN cox.estimate_accuracy.starts IS 'Starts that had been told before.';
COMMENT ON COLUMN cox.estimate_accuracy.error_s_median IS
  'Seconds by which half of the estimates were off, or less; null without any.';
COMMENT ON COLUMN cox.estimate_accuracy.error_s_p90 IS
  'Seconds by which nine of ten estimates were off, or less.';
COMMENT ON COLUMN cox.estimate_accuracy.close_share IS
  'The part that was off by a tenth of the wait or a minute at most.';

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
  -- Not cox.blob: environments may hold secrets.
  FOREACH relation IN ARRAY ARRAY['job', 'attempt', 'attempt_node', 'rank', 'checkpoint',
      'job_event', 'job_wait', 'start_estimate', 'node', 'qos', 'turn', 'schema_version', 'queue',
      'nodes', 'attempts', 'checkpoints', 'events', 'history', 'waiting',
      'estimate_accuracy'] LOOP
    EXECUTE format('GRANT SELECT ON cox.%I TO cox_reader', relation);
  END LOOP;
EXCEPTION
  WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN
    RAISE NOTICE 'role cox_reader is not set up: %. As a superuser: SELECT cox.grant_reader();',
      SQLERRM;
END $$;
SELECT cox.grant_reader();
