-- What waiting jobs are told, for whoever looks with SQL: the time after another has begun, that
-- nobody has judged one yet, and until when a partition is closed.

-- A term that has come but for its minutes is no longer among those of the row: it is read from what
-- was asked for. When an array began is not kept: there the job's own time says it.
CREATE FUNCTION cox.delays_of(j cox.job)
  RETURNS TABLE (on_job bigint, on_task bigint, delay_s bigint, due_at timestamptz, decided_by bigint)
  LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT t.on_job, t.on_task, t.delay_s, t.due_at,
         CASE WHEN t.on_task < 0 THEN t.on_job
              ELSE (SELECT r.id FROM cox.job r
                      WHERE r.array_job = t.on_job AND r.array_job > 0
                        AND t.on_task IN (SELECT cox.tasks_of(r.array_tasks, r.array_task))) END
    FROM (
      SELECT m[1]::bigint AS on_job, m[3]::bigint * 60 AS delay_s,
             coalesce(m[2]::bigint, -1) AS on_task,
             coalesce(b.started_at + m[3]::bigint * interval '1 minute', j.eligible_at) AS due_at
        FROM regexp_matches(j.dependency, 'after:(\d+)(?:_(\d+))?\+(\d+)', 'g') AS m
        LEFT JOIN cox.job b ON b.id = m[1]::bigint AND b.array_job = 0) AS t
    WHERE j.state = 'PENDING' AND j.eligible_at > now() AND t.due_at > now()
      AND NOT EXISTS (
        SELECT FROM unnest(j.dependency_kind, j.dependency_on, j.dependency_task)
            AS v(kind, on_job, on_task)
          WHERE v.kind = 'after' AND v.on_job = t.on_job AND v.on_task = t.on_task) $$;
COMMENT ON FUNCTION cox.delays_of IS
  'Of a waiting job the terms after:JOB+MINUTES whose minutes run: the row that began, and when they are '
  'over.';

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
         o.user_name AS on_user, o.name AS on_name, d.due_at
    FROM (
      SELECT j.id, j.dependency_kind[w.place] AS kind, j.dependency_on[w.place] AS on_job,
             j.dependency_delay_s[w.place] AS delay_s, j.dependency_never[w.place] AS never,
             j.dependency_task[w.place] AS on_task, NULL::timestamptz AS due_at, w.decided_by
        FROM cox.deciding_rows() w
        JOIN cox.job j ON j.id = w.job_id
      UNION ALL
      SELECT j.id, 'after', t.on_job, t.delay_s, false, t.on_task, t.due_at, t.decided_by
        FROM cox.job j
        CROSS JOIN LATERAL cox.delays_of(j) AS t
        WHERE j.ended_at IS NULL AND j.eligible_at > now()) AS d
    JOIN cox.job j ON j.id = d.id
    LEFT JOIN cox.job o ON o.id = d.decided_by
    ORDER BY j.id, 5, d.on_task;
COMMENT ON COLUMN cox.dependencies.due_at IS
  'Where the other has begun and so long has yet to pass: when it has. Null: the other has not.';

CREATE OR REPLACE VIEW cox.waiting AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition, j.nodes, j.tasks,
         CASE WHEN j.held THEN 'JobHeldUser'
              WHEN cardinality(j.dependency_on) > 0 THEN
                CASE WHEN CASE WHEN j.dependency LIKE '%?%' THEN true = ALL (j.dependency_never)
                               ELSE true = ANY (j.dependency_never) END
                     THEN 'DependencyNeverSatisfied' ELSE 'Dependency' END
              WHEN j.eligible_at > now() THEN 'BeginTime'
              ELSE coalesce(w.reason, 'Priority') END AS reason,
         CASE WHEN j.held THEN 'held by a person'
              WHEN w.reason = 'DependencyNeverSatisfied' THEN w.detail
              WHEN cardinality(j.dependency_on) > 0 THEN 'depends on ' || j.dependency
              WHEN j.eligible_at > now() THEN 'begins not before ' || j.eligible_at || coalesce(
                (SELECT ': ' || d.delay_s / 60 || ' min after job ' || d.on_job
                        || CASE WHEN d.on_task < 0 THEN '' ELSE '_' || d.on_task END || ' began'
                   FROM cox.delays_of(j) d ORDER BY d.due_at DESC LIMIT 1), '')
              WHEN w.job_id IS NULL THEN 'not judged yet'
              ELSE w.detail END AS detail,
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
         j.submitted_at,
         nullif(j.array_job, 0) AS array_job, nullif(j.array_task, -1) AS array_task,
         j.array_tasks, j.account,
         cox.told_id(j.id, j.array_job, j.array_task, j.array_tasks) AS job
    FROM cox.job j
    LEFT JOIN cox.qos q ON q.name = j.qos
    LEFT JOIN cox.attempt a ON a.job_id = j.id AND a.ended_at IS NULL
    LEFT JOIN cox.waiting w ON w.id = j.id
    WHERE j.ended_at IS NULL
    ORDER BY j.state = 'PENDING', q.tier DESC NULLS LAST, j.eligible_at, j.id;
COMMENT ON COLUMN cox.queue.account IS 'Which account it is charged to; empty: none.';
COMMENT ON COLUMN cox.queue.job IS 'As commands show it: 12, of an array 17_4 or 17_[5-9].';

-- Hours stand in the configuration: what is known of them here is what jobs are told that wait.
CREATE OR REPLACE VIEW cox.partitions AS
  WITH jobs AS (
    SELECT p.name, count(*) FILTER (WHERE j.state = 'PENDING') AS waiting,
           count(*) FILTER (WHERE j.state <> 'PENDING') AS running
      FROM cox.job j
      LEFT JOIN cox.attempt a ON a.job_id = j.id AND a.ended_at IS NULL
      CROSS JOIN LATERAL unnest(
        string_to_array(coalesce(nullif(a.partition, ''), j.partition), ',')) AS p(name)
      WHERE j.ended_at IS NULL
      GROUP BY p.name),
  closed AS (
    SELECT m[1] AS name, max(m[2]::timestamptz) AS until
      FROM cox.job_wait w
      CROSS JOIN LATERAL
        regexp_matches(w.detail, 'partition ([^ ]+) is closed until ([0-9TZ:-]+)', 'g') AS m
      GROUP BY m[1])
  SELECT coalesce(p.name, jobs.name) AS name, coalesce(p.state, 'UP') AS state,
         coalesce(p.reason, '') AS reason, coalesce(jobs.waiting, 0) AS waiting,
         coalesce(jobs.running, 0) AS running, p.changed_at,
         CASE WHEN closed.until > now() THEN closed.until END AS closed_until
    FROM cox.partition p
    FULL JOIN jobs ON jobs.name = p.name
    LEFT JOIN closed ON closed.name = coalesce(p.name, jobs.name)
    ORDER BY 1;
COMMENT ON COLUMN cox.partitions.closed_until IS
  'Until when its hours are closed, as jobs are told that wait for them. Null: they are open, or '
  'nobody waits there.';
