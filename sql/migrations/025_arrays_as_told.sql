-- Which task of an array it is, wherever administrators look, and what becomes of those they wait for.
CREATE FUNCTION cox.has_task(array_tasks text, task bigint) RETURNS boolean LANGUAGE sql IMMUTABLE
AS $$
  SELECT array_tasks <> '' AND EXISTS (
    SELECT FROM regexp_split_to_table(array_tasks, ',') AS part,
                regexp_match(part, '^(\d+)(?:-(\d+))?(?::(\d+))?$') AS m
      WHERE task BETWEEN m[1]::bigint AND coalesce(m[2], m[1])::bigint
        AND (task - m[1]::bigint) % coalesce(m[3], '1')::bigint = 0) $$;
COMMENT ON FUNCTION cox.has_task IS
  'Whether a row of cox.job that stands for several tasks, by its array_tasks, stands for this one.';

CREATE FUNCTION cox.shown_id(id bigint, array_job bigint, array_task bigint, array_tasks text)
  RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN coalesce(array_job, 0) = 0 THEN id::text
              WHEN array_tasks <> '' THEN array_job || '_[' || array_tasks || ']'
              ELSE array_job || '_' || array_task END $$;
COMMENT ON FUNCTION cox.shown_id IS
  'A row of cox.job as commands show it and take it: 12, of an array 17_4 or 17_[5-9].';

-- Of each term the row that decides it: of a whole array, or of partners in one, the first that has
-- ended otherwise than well, else one that has not ended.
CREATE OR REPLACE VIEW cox.dependencies AS
  SELECT j.id AS job_id, j.name, j.user_name,
         CASE WHEN d.kind = 'afterok' AND d.on_task = -1
                   AND 'aftercorr:' || d.on_job = ANY (regexp_split_to_array(j.dependency, '[,?]'))
                   AND 'afterok:' || d.on_job <> ALL (regexp_split_to_array(j.dependency, '[,?]'))
              THEN 'aftercorr'::cox.dependency_kind ELSE d.kind END AS kind,
         CASE WHEN d.kind = 'singleton' THEN o.id ELSE d.on_job END AS on_job,
         o.state AS on_state, d.delay_s, d.never, nullif(d.on_task, -1) AS on_task,
         cox.shown_id(j.id, j.array_job, j.array_task, j.array_tasks) AS job,
         cox.shown_id(o.id, o.array_job, o.array_task, o.array_tasks) AS on_row,
         o.user_name AS on_user, o.name AS on_name
    FROM cox.job j
    CROSS JOIN LATERAL unnest(j.dependency_kind, j.dependency_on, j.dependency_delay_s,
                              j.dependency_never, j.dependency_task)
      AS d(kind, on_job, delay_s, never, on_task)
    LEFT JOIN LATERAL (
      SELECT r.id, r.state, r.array_job, r.array_task, r.array_tasks, r.user_name, r.name
        FROM (SELECT id FROM cox.job WHERE id = d.on_job AND d.kind <> 'singleton'
              UNION
              SELECT id FROM cox.job
                WHERE array_job = d.on_job AND array_job > 0 AND d.kind <> 'singleton'
              UNION
              SELECT s.id FROM cox.job s
                WHERE d.kind = 'singleton' AND s.ended_at IS NULL
                  AND s.user_name = j.user_name AND s.name = j.name
                  AND coalesce(nullif(s.array_job, 0), s.id)
                      < coalesce(nullif(j.array_job, 0), j.id)) AS candidate
        JOIN cox.job r USING (id)
        WHERE (d.on_task < 0 OR r.array_task = d.on_task OR cox.has_task(r.array_tasks, d.on_task))
          AND (d.kind <> 'aftercorr' OR j.array_task < 0 OR r.array_task = j.array_task
               OR cox.has_task(r.array_tasks, j.array_task))
        ORDER BY r.ended_at IS NOT NULL AND r.state <> 'COMPLETED' DESC, r.ended_at IS NULL DESC,
                 r.id
        LIMIT 1) AS o ON true
    WHERE j.ended_at IS NULL
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
  'What decides it, as commands show it: of an array as a whole a task that has ended otherwise than '
  'well, else one that has not ended.';
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
         cox.shown_id(j.id, j.array_job, j.array_task, j.array_tasks) AS job
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
