-- Which task of an array it is, wherever administrators look, and what becomes of those they wait for.
-- STRICT: it is not expanded where it is used, and what plans expect of it is not millions.
CREATE FUNCTION cox.tasks_of(array_tasks text, array_task bigint) RETURNS SETOF bigint
  LANGUAGE sql IMMUTABLE STRICT ROWS 4 AS $$
  SELECT array_task WHERE array_tasks = ''
  UNION ALL
  SELECT generate_series(m[1]::bigint, coalesce(m[2], m[1])::bigint, coalesce(m[3], '1')::bigint)
    FROM regexp_split_to_table(array_tasks, ',') AS part,
         regexp_match(part, '^(\d+)(?:-(\d+))?(?::(\d+))?$') AS m
    WHERE array_tasks <> '' $$;
COMMENT ON FUNCTION cox.tasks_of IS
  'The tasks that a row of cox.job stands for, by its array_tasks if there are several.';

CREATE FUNCTION cox.told_id(id bigint, array_job bigint, array_task bigint, array_tasks text)
  RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN coalesce(array_job, 0) = 0 THEN id::text
              WHEN length(array_tasks) > 64 THEN array_job || '_' || substring(array_tasks, '^\d+')
              WHEN array_tasks <> '' THEN array_job || '_[' || array_tasks || ']'
              ELSE array_job || '_' || array_task END $$;
COMMENT ON FUNCTION cox.told_id IS
  'A row of cox.job as commands take it: 12, of an array 17_4 or 17_[5-9]; the first of its tasks '
  'where they are too many to be read.';

-- The histories of arrays are read row by row.
CREATE INDEX job_rows_of_array ON cox.job (array_job, id) WHERE array_job > 0;

-- Of each term the row that decides it. Arrays that are waited for, and names of singletons, are
-- gone through once, however many wait for them: also while the server knows nothing yet of how many
-- there are, and would compare each with each.
CREATE FUNCTION cox.deciding_rows()
  RETURNS TABLE (job_id bigint, place bigint, decided_by bigint) LANGUAGE sql STABLE
  SET enable_nestloop = off SET jit = off AS $$
  WITH term AS MATERIALIZED (
    SELECT j.id, j.name, j.user_name, j.array_task, j.array_tasks,
           coalesce(nullif(j.array_job, 0), j.id) AS submitted_as, d.*
      FROM cox.job j
      CROSS JOIN LATERAL unnest(j.dependency_kind, j.dependency_on, j.dependency_task)
        WITH ORDINALITY AS d(kind, on_job, on_task, place)
      WHERE j.ended_at IS NULL),
  -- The first of each name that has not ended.
  named AS MATERIALIZED (
    SELECT DISTINCT ON (s.user_name, s.name) s.user_name, s.name, s.id,
           coalesce(nullif(s.array_job, 0), s.id) AS submitted_as
      FROM cox.job s
      WHERE s.ended_at IS NULL
        AND (s.user_name, s.name) IN (SELECT user_name, name FROM term WHERE kind = 'singleton')
      ORDER BY s.user_name, s.name, submitted_as, s.id),
  -- Of arrays that are waited for as wholes. Of those that failed the one that bears the array's id
  -- comes last, as it has the last of the tasks.
  whole AS MATERIALIZED (
    SELECT r.array_job,
           coalesce(min(nullif(r.id, r.array_job)) FILTER (WHERE r.ended_at IS NOT NULL
                                                             AND r.state <> 'COMPLETED'),
                    min(r.id) FILTER (WHERE r.ended_at IS NOT NULL AND r.state <> 'COMPLETED'))
             AS failed,
           min(r.id) FILTER (WHERE r.ended_at IS NULL) AS unfinished,
           min(r.id) FILTER (WHERE r.ended_at IS NULL AND r.started_at IS NULL) AS not_begun,
           min(r.id) AS any_row
      FROM cox.job r
      WHERE r.array_job > 0
        AND r.array_job = ANY (ARRAY(SELECT DISTINCT on_job FROM term
                                 WHERE on_task < 0 AND kind NOT IN ('singleton', 'aftercorr')))
      GROUP BY r.array_job),
  -- Of arrays whose tasks are waited for one by one.
  task AS MATERIALIZED (
    SELECT r.array_job, t.task, r.id, r.ended_at IS NULL AS unfinished,
           r.ended_at IS NOT NULL AND r.state <> 'COMPLETED' AS failed
      FROM cox.job r
      CROSS JOIN LATERAL cox.tasks_of(r.array_tasks, r.array_task) AS t(task)
      WHERE r.array_job > 0
        AND r.array_job = ANY (ARRAY(SELECT DISTINCT on_job FROM term
                                 WHERE on_task >= 0 OR kind = 'aftercorr'))),
  -- Of tasks that wait each for its partner: who is a row of several has several partners.
  own AS MATERIALIZED (
    SELECT w.id AS job_id, w.place, w.on_job, t.task
      FROM term w
      CROSS JOIN LATERAL cox.tasks_of(w.array_tasks, w.array_task) AS t(task)
      WHERE w.kind = 'aftercorr'),
  partner AS MATERIALIZED (
    SELECT DISTINCT ON (own.job_id, own.place) own.job_id, own.place, task.id
      FROM own
      JOIN task ON task.array_job = own.on_job AND task.task = own.task
      ORDER BY own.job_id, own.place, task.failed DESC, task.unfinished DESC, task.task)
  SELECT w.id, w.place,
         CASE WHEN w.kind = 'singleton' THEN named.id
              WHEN w.kind = 'aftercorr' THEN partner.id
              WHEN w.on_task >= 0 THEN task.id
              WHEN whole.array_job IS NULL THEN w.on_job
              WHEN w.kind = 'after' THEN coalesce(whole.not_begun, whole.unfinished, whole.any_row)
              WHEN w.kind = 'afterok' THEN coalesce(whole.failed, whole.unfinished, whole.any_row)
              ELSE coalesce(whole.unfinished, whole.failed, whole.any_row) END
    FROM term w
    LEFT JOIN named ON w.kind = 'singleton' AND named.user_name = w.user_name
                       AND named.name = w.name AND named.submitted_as < w.submitted_as
    LEFT JOIN whole ON w.kind NOT IN ('singleton', 'aftercorr') AND w.on_task < 0
                       AND whole.array_job = w.on_job
    LEFT JOIN task ON w.on_task >= 0 AND task.array_job = w.on_job AND task.task = w.on_task
    LEFT JOIN partner ON w.kind = 'aftercorr' AND partner.job_id = w.id AND partner.place = w.place
$$;
COMMENT ON FUNCTION cox.deciding_rows IS
  'Of each term of the dependencies of each job that has not ended, by its place among them, the row of '
  'cox.job that decides it now.';

CREATE OR REPLACE VIEW cox.dependencies AS
  SELECT j.id AS job_id, j.name, j.user_name,
         CASE WHEN d.kind = 'afterok' AND d.on_task = -1
                   AND 'aftercorr:' || d.on_job = ANY (regexp_split_to_array(j.dependency, '[,?]'))
                   AND 'afterok:' || d.on_job <> ALL (regexp_split_to_array(j.dependency, '[,?]'))
              THEN 'aftercorr'::cox.dependency_kind ELSE d.kind END AS kind,
         CASE WHEN d.kind = 'singleton' THEN o.id ELSE d.on_job END AS on_job,
         o.state AS on_state, d.delay_s, d.never, nullif(d.on_task, -1) AS on_task,
         cox.told_id(j.id, j.array_job, j.array_task, j.array_tasks) AS job,
         cox.told_id(o.id, o.array_job, o.array_task, o.array_tasks) AS on_row,
         o.user_name AS on_user, o.name AS on_name
    FROM cox.deciding_rows() w
    JOIN cox.job j ON j.id = w.job_id
    CROSS JOIN LATERAL (
      SELECT j.dependency_kind[w.place] AS kind, j.dependency_on[w.place] AS on_job,
             j.dependency_delay_s[w.place] AS delay_s, j.dependency_never[w.place] AS never,
             j.dependency_task[w.place] AS on_task) AS d
    LEFT JOIN cox.job o ON o.id = w.decided_by
    ORDER BY j.id, 5, d.on_task;
-- Where one of two jobs is no array, aftercorr is judged as afterok; what was asked for is shown.
COMMENT ON COLUMN cox.dependencies.kind IS
  'What it waits for of the other, as it was asked for: aftercorr is as afterok where one of them is '
  'no array.';
COMMENT ON COLUMN cox.dependencies.on_job IS
  'The other job, or array; of a singleton the first of the earlier ones of its name.';
COMMENT ON COLUMN cox.dependencies.on_state IS
  'Where on_row stands.';
COMMENT ON COLUMN cox.dependencies.job IS 'The job that waits, as commands show it: 17_4.';
COMMENT ON COLUMN cox.dependencies.on_row IS
  'What decides it, as commands show it. Of an array as a whole for after a task that has not begun, '
  'for afterok one that has ended otherwise than well, else one that has not ended; for aftercorr the '
  'same, of its partners alone.';
COMMENT ON COLUMN cox.dependencies.on_user IS 'Whose that is.';
COMMENT ON COLUMN cox.dependencies.on_name IS 'What it is called.';

-- Who waits in vain is told all of it too: the row of cox.job_wait was written when that was known.
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
              WHEN w.reason = 'DependencyNeverSatisfied' THEN w.detail
              WHEN cardinality(j.dependency_on) > 0 THEN 'depends on ' || j.dependency
              WHEN j.eligible_at > now() THEN 'begins not before ' || j.eligible_at
              ELSE coalesce(w.detail, '') END AS detail,
         CASE WHEN j.eligible_at > now() THEN j.eligible_at ELSE w.expected_start_at END
           AS expected_start_at,
         date_trunc('second', greatest(interval '0', now() - j.eligible_at)) AS waiting,
         coalesce(w.lines, '{}') AS lines, w.first_judged_at, w.last_judged_at,
         nullif(j.array_job, 0) AS array_job, nullif(j.array_task, -1) AS array_task,
         j.array_tasks
    FROM cox.job j
    LEFT JOIN cox.job_wait w ON w.job_id = j.id
    LEFT JOIN cox.qos q ON q.name = j.qos
    WHERE j.state = 'PENDING'
    ORDER BY q.tier DESC NULLS LAST, j.eligible_at, j.id;

CREATE OR REPLACE VIEW cox.history AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition, j.exit_code, j.exit_signal,
         j.submitted_at, j.started_at, j.ended_at,
         date_trunc('second', u.ran) AS ran, u.cpu_seconds, u.gpu_seconds, j.restarts, j.why,
         nullif(j.array_job, 0) AS array_job, nullif(j.array_task, -1) AS array_task,
         j.array_tasks, j.account,
         cox.told_id(j.id, j.array_job, j.array_task, j.array_tasks) AS job
    FROM cox.job j
    CROSS JOIN LATERAL (
      SELECT sum(cox.run_time(a)) AS ran,
             sum(extract(epoch FROM cox.run_time(a)) * g.cpus)::bigint AS cpu_seconds,
             sum(extract(epoch FROM a.ended_at - a.went_at) * g.gpus)::bigint AS gpu_seconds
        FROM cox.attempt a
        CROSS JOIN LATERAL (
          SELECT sum(n.cpus) AS cpus, sum(cardinality(n.gpus)) AS gpus FROM cox.attempt_node n
            WHERE n.job_id = a.job_id AND n.attempt = a.attempt) g
        WHERE a.job_id = j.id) u
    WHERE j.ended_at IS NOT NULL
    ORDER BY j.ended_at DESC, j.id DESC;
COMMENT ON COLUMN cox.history.array_job IS 'The array it was of; null: none.';
COMMENT ON COLUMN cox.history.array_task IS 'Which task of it; null: none, or several.';
COMMENT ON COLUMN cox.history.array_tasks IS
  'The tasks that the row stands for, if several: they ended before they ran.';
COMMENT ON COLUMN cox.history.account IS 'Which account it was charged to; empty: none.';
COMMENT ON COLUMN cox.history.job IS 'As commands show it: 12, of an array 17_4.';
