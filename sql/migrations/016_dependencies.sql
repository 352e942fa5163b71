-- What a job waits for besides room: others that must have begun or ended, and a time of day.
ALTER TYPE cox.job_state ADD VALUE 'DEADLINE';
ALTER TYPE cox.stop_why ADD VALUE 'deadline';
CREATE TYPE cox.dependency_kind AS ENUM ('after', 'afterany', 'afterok', 'afternotok', 'singleton');
COMMENT ON TYPE cox.dependency_kind IS
  'What must have become of another job: begun, ended, COMPLETED, ended otherwise; singleton: all '
  'earlier ones of the same name and user have ended.';

ALTER TABLE cox.job
  ADD COLUMN dependency text NOT NULL DEFAULT '',
  ADD COLUMN begin_at timestamptz,
  ADD COLUMN deadline_at timestamptz,
  ADD COLUMN kill_on_invalid_dependency boolean,
  ADD COLUMN dependency_kind cox.dependency_kind[] NOT NULL DEFAULT '{}',
  ADD COLUMN dependency_on bigint[] NOT NULL DEFAULT '{}',
  ADD COLUMN dependency_delay_s bigint[] NOT NULL DEFAULT '{}',
  ADD COLUMN dependency_never boolean[] NOT NULL DEFAULT '{}',
  ADD CONSTRAINT job_dependencies_are_parallel CHECK (
    cardinality(dependency_kind) = cardinality(dependency_on)
    AND cardinality(dependency_kind) = cardinality(dependency_delay_s)
    AND cardinality(dependency_kind) = cardinality(dependency_never)),
  ADD CONSTRAINT job_dependent_waits
    CHECK (cardinality(dependency_on) = 0 OR state = 'PENDING' OR state >= 'COMPLETED');
COMMENT ON COLUMN cox.job.dependency IS 'What it asked to wait for, --dependency; empty: nothing.';
COMMENT ON COLUMN cox.job.begin_at IS 'It begins not before, --begin; null: at once.';
COMMENT ON COLUMN cox.job.deadline_at IS 'It has to end by then, --deadline; null: whenever.';
COMMENT ON COLUMN cox.job.kill_on_invalid_dependency IS
  'Whether it ends when what it depends on can never be; null of jobs from before there was this.';
COMMENT ON COLUMN cox.job.dependency_kind IS
  'Of what it still waits for: the kinds. The view cox.dependencies has a row for each.';
COMMENT ON COLUMN cox.job.dependency_on IS 'The jobs, in the same order; 0 of a singleton.';
COMMENT ON COLUMN cox.job.dependency_delay_s IS 'Seconds to wait behind that, in the same order.';
COMMENT ON COLUMN cox.job.dependency_never IS
  'Whether it can never come true any more, in the same order.';

ALTER TYPE cox.job_move
  ADD ATTRIBUTE dependency_kind cox.dependency_kind[],
  ADD ATTRIBUTE dependency_on bigint[],
  ADD ATTRIBUTE dependency_delay_s bigint[],
  ADD ATTRIBUTE dependency_never boolean[];

CREATE VIEW cox.dependencies AS
  SELECT j.id AS job_id, j.name, j.user_name, d.kind, nullif(d.on_job, 0) AS on_job,
         o.state AS on_state, d.delay_s, d.never
    FROM cox.job j
    CROSS JOIN LATERAL unnest(j.dependency_kind, j.dependency_on, j.dependency_delay_s,
                              j.dependency_never) AS d(kind, on_job, delay_s, never)
    LEFT JOIN cox.job o ON o.id = d.on_job
    WHERE j.ended_at IS NULL
    ORDER BY j.id, d.on_job;
COMMENT ON VIEW cox.dependencies IS 'What waiting jobs still wait for of other jobs.';
COMMENT ON COLUMN cox.dependencies.job_id IS 'The job that waits.';
COMMENT ON COLUMN cox.dependencies.name IS 'Its name.';
COMMENT ON COLUMN cox.dependencies.user_name IS 'Whose job it is.';
COMMENT ON COLUMN cox.dependencies.kind IS 'What must become of the other, by Slurm''s word.';
COMMENT ON COLUMN cox.dependencies.on_job IS 'The other job; null of a singleton.';
COMMENT ON COLUMN cox.dependencies.on_state IS 'Where that stands.';
COMMENT ON COLUMN cox.dependencies.delay_s IS 'Seconds to wait behind its begin.';
COMMENT ON COLUMN cox.dependencies.never IS 'It can never come true any more.';

-- Whom a person, another job or its own time holds back needs no pass to know it.
CREATE OR REPLACE VIEW cox.waiting AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition, j.nodes, j.tasks,
         CASE WHEN j.held THEN 'JobHeldUser'
              WHEN cardinality(j.dependency_on) > 0 THEN
                CASE WHEN CASE WHEN j.dependency LIKE '%?%' THEN true = ALL (j.dependency_never)
                               ELSE true = ANY (j.dependency_never) END
                     THEN 'DependencyNeverSatisfied' ELSE 'Dependency' END
              WHEN j.eligible_at > now() THEN 'BeginTime'
              ELSE coalesce(w.reason, 'Priority') END AS reason,
         CASE WHEN j.held THEN ''
              WHEN cardinality(j.dependency_on) > 0 THEN 'depends on ' || j.dependency
              WHEN j.eligible_at > now() THEN 'begins not before ' || j.eligible_at
              ELSE coalesce(w.detail, '') END AS detail,
         CASE WHEN j.eligible_at > now() THEN j.eligible_at ELSE w.expected_start_at END
           AS expected_start_at,
         date_trunc('second', greatest(interval '0', now() - j.eligible_at)) AS waiting,
         coalesce(w.lines, '{}') AS lines, w.first_judged_at, w.last_judged_at
    FROM cox.job j
    LEFT JOIN cox.job_wait w ON w.job_id = j.id
    LEFT JOIN cox.qos q ON q.name = j.qos
    WHERE j.state = 'PENDING'
    ORDER BY q.tier DESC NULLS LAST, j.eligible_at, j.id;

-- Of a job that waits the queue says why, as cox.waiting does; cox.job.why is the reason of its last
-- change of state, and of most that wait there is none.
CREATE OR REPLACE VIEW cox.queue AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition, j.tasks, j.nodes,
         CASE WHEN j.state = 'PENDING'
              THEN date_trunc('second', greatest(interval '0', now() - j.eligible_at)) END
           AS waiting,
         CASE WHEN j.state::text IN ('RUNNING', 'SUSPENDED', 'SIGNALING', 'COMPLETING')
              THEN date_trunc('second', cox.run_time(a)) END AS elapsed,
         CASE WHEN j.time_limit_s > 0 THEN make_interval(secs => j.time_limit_s) END AS time_limit,
         (SELECT array_agg(n.node ORDER BY n.position) FROM cox.attempt_node n
            WHERE n.job_id = a.job_id AND n.attempt = a.attempt) AS node_list,
         (SELECT max(c.step) FROM cox.checkpoint c
            WHERE c.job_id = j.id AND NOT c.damaged AND NOT c.pruned) AS saved_step,
         j.attempt, j.held,
         CASE WHEN j.state <> 'PENDING' THEN j.why
              ELSE concat_ws(': ', w.reason, nullif(w.detail, '')) END AS why,
         j.submitted_at
    FROM cox.job j
    LEFT JOIN cox.qos q ON q.name = j.qos
    LEFT JOIN cox.attempt a ON a.job_id = j.id AND a.ended_at IS NULL
    LEFT JOIN cox.waiting w ON w.id = j.id
    WHERE j.ended_at IS NULL
    ORDER BY j.state = 'PENDING', q.tier DESC NULLS LAST, j.eligible_at, j.id;

COMMENT ON COLUMN cox.queue.why IS
  'Why it waits, by Slurm''s code, and with numbers if it is not too far back in line; as it was '
  'last told, up to 5 seconds ago. Of others the reason of the last change of state.';
COMMENT ON COLUMN cox.waiting.last_judged_at IS
  'When that was last written, at most every 5 seconds. The texts name moments, in UTC.';

-- All there is now and all that comes: only what holds secrets is named.
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
  -- Not cox.blob: environments may hold secrets. Not the parts of cox.job_event: it speaks for them.
  FOR relation IN SELECT relname FROM pg_class
      WHERE relnamespace = 'cox'::regnamespace AND relkind IN ('r', 'p', 'v')
        AND NOT relispartition AND relname <> 'blob' LOOP
    EXECUTE format('GRANT SELECT ON cox.%I TO cox_reader', relation);
  END LOOP;
EXCEPTION
  WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN
    RAISE NOTICE 'role cox_reader is not set up: %. As a superuser: SELECT cox.grant_reader();',
      SQLERRM;
END $$;
SELECT cox.grant_reader();
