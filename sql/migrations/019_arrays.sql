-- Job arrays: tasks that others wait for, and what administrators see of a row that stands for many.
ALTER TYPE cox.dependency_kind ADD VALUE 'aftercorr';
COMMENT ON TYPE cox.dependency_kind IS
  'What must have become of another job: begun, ended, COMPLETED, ended otherwise; singleton: all '
  'earlier ones of the same name and user have ended; aftercorr: the same task of another array is '
  'COMPLETED.';

ALTER TABLE cox.job ADD COLUMN dependency_task bigint[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN cox.job.dependency_task IS
  'The tasks of the arrays it waits for, in the same order; -1: all tasks, or the job is no array.';
UPDATE cox.job SET dependency_task = array_fill(-1::bigint, ARRAY[cardinality(dependency_on)])
  WHERE cardinality(dependency_on) > 0;
ALTER TABLE cox.job ADD CONSTRAINT job_dependency_tasks_are_parallel
  CHECK (cardinality(dependency_on) = cardinality(dependency_task));
ALTER TYPE cox.job_move ADD ATTRIBUTE dependency_task bigint[];

CREATE INDEX job_of_array ON cox.job (array_job, array_task) WHERE array_job > 0;

CREATE FUNCTION cox.task_count(array_tasks text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN array_tasks = '' THEN 1 ELSE (
    SELECT sum((coalesce(m[2], m[1])::bigint - m[1]::bigint) / coalesce(m[3], '1')::bigint + 1)
      FROM regexp_split_to_table(array_tasks, ',') AS part,
           regexp_match(part, '^(\d+)(?:-(\d+))?(?::(\d+))?$') AS m)::bigint END $$;
COMMENT ON FUNCTION cox.task_count IS
  'For how many jobs a row of cox.job stands, by its array_tasks: 0-9:3,12 are five.';

CREATE OR REPLACE VIEW cox.dependencies AS
  SELECT j.id AS job_id, j.name, j.user_name, d.kind, nullif(d.on_job, 0) AS on_job,
         o.state AS on_state, d.delay_s, d.never, nullif(d.on_task, -1) AS on_task
    FROM cox.job j
    CROSS JOIN LATERAL unnest(j.dependency_kind, j.dependency_on, j.dependency_delay_s,
                              j.dependency_never, j.dependency_task)
      AS d(kind, on_job, delay_s, never, on_task)
    LEFT JOIN cox.job o ON o.id = d.on_job
    WHERE j.ended_at IS NULL
    ORDER BY j.id, d.on_job, d.on_task;
COMMENT ON COLUMN cox.dependencies.on_job IS
  'The other job, or array; null of a singleton.';
COMMENT ON COLUMN cox.dependencies.on_state IS
  'Where that stands; of an array its first row.';
COMMENT ON COLUMN cox.dependencies.on_task IS
  'The task of the other array; null: all of them, or it is none.';

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
         coalesce(w.lines, '{}') AS lines, w.first_judged_at, w.last_judged_at,
         nullif(j.array_job, 0) AS array_job, nullif(j.array_task, -1) AS array_task,
         j.array_tasks
    FROM cox.job j
    LEFT JOIN cox.job_wait w ON w.job_id = j.id
    LEFT JOIN cox.qos q ON q.name = j.qos
    WHERE j.state = 'PENDING'
    ORDER BY q.tier DESC NULLS LAST, j.eligible_at, j.id;
COMMENT ON COLUMN cox.waiting.array_job IS 'The array it is of; null: none.';
COMMENT ON COLUMN cox.waiting.array_task IS 'Which task of it; null: none, or several.';
COMMENT ON COLUMN cox.waiting.array_tasks IS 'The tasks that the row stands for, if several.';

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
         j.array_tasks
    FROM cox.job j
    LEFT JOIN cox.qos q ON q.name = j.qos
    LEFT JOIN cox.attempt a ON a.job_id = j.id AND a.ended_at IS NULL
    LEFT JOIN cox.waiting w ON w.id = j.id
    WHERE j.ended_at IS NULL
    ORDER BY j.state = 'PENDING', q.tier DESC NULLS LAST, j.eligible_at, j.id;
COMMENT ON COLUMN cox.queue.array_job IS 'The array it is of; null: none.';
COMMENT ON COLUMN cox.queue.array_task IS 'Which task of it; null: none, or several.';
COMMENT ON COLUMN cox.queue.array_tasks IS 'The tasks that the row stands for, if several.';

-- Limits on submitted jobs count tasks.
CREATE OR REPLACE VIEW cox.qos_usage AS
  SELECT q.name AS qos, u.user_name, coalesce(u.submitted, 0) AS submitted,
         coalesce(u.running, 0) AS running, coalesce(u.nodes, 0) AS nodes,
         coalesce(u.cpus, 0) AS cpus, coalesce(u.memory_mb, 0) AS memory_mb,
         coalesce(trim_scale(u.gpus), 0) AS gpus,
         CASE WHEN u.user_name IS NULL THEN q.grp_tres ELSE q.max_tres_per_user END AS max_tres,
         CASE WHEN u.user_name IS NULL THEN q.grp_jobs ELSE q.max_jobs_per_user END AS max_jobs,
         CASE WHEN u.user_name IS NULL THEN q.grp_submit_jobs
              ELSE q.max_submit_jobs_per_user END AS max_submit_jobs
    FROM cox.qos q
    LEFT JOIN (
      SELECT j.qos, j.user_name, sum(cox.task_count(j.array_tasks))::bigint AS submitted,
             count(h.job_id) AS running,
             coalesce(sum(h.nodes), 0)::bigint AS nodes, coalesce(sum(h.cpus), 0)::bigint AS cpus,
             coalesce(sum(h.memory_mb), 0)::bigint AS memory_mb, coalesce(sum(h.gpus), 0) AS gpus
        FROM cox.job j
        LEFT JOIN (
          SELECT a.job_id, count(*) AS nodes, sum(n.cpus) AS cpus, sum(n.memory_mb) AS memory_mb,
                 sum(cardinality(n.gpus) * n.gpu_milli) / 1000.0 AS gpus
            FROM cox.attempt a
            JOIN cox.attempt_node n ON n.job_id = a.job_id AND n.attempt = a.attempt
            WHERE a.ended_at IS NULL
            GROUP BY a.job_id) h ON h.job_id = j.id
        WHERE j.ended_at IS NULL
        GROUP BY GROUPING SETS ((j.qos), (j.qos, j.user_name))) u ON u.qos = q.name
    ORDER BY q.tier DESC, q.name, u.user_name NULLS FIRST;
COMMENT ON COLUMN cox.qos_usage.submitted IS
  'Jobs that wait or run, each task of an array for itself.';
