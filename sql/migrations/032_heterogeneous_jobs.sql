-- Heterogeneous jobs: components unlike each other, that start and end together.
ALTER TABLE cox.job ADD COLUMN components jsonb NOT NULL DEFAULT '[]';
COMMENT ON COLUMN cox.job.components IS
  'Of a heterogeneous job: what each component behind the first asks for, an object with the names of '
  'the columns of cox.job, which say it of the first. Empty: it is alike throughout. '
  'cox.job_component has all of them as rows.';

ALTER TABLE cox.attempt_node ADD COLUMN component integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN cox.attempt_node.component IS
  'Which component of a heterogeneous job has the node; 0: the first, or of a job that is alike.';

ALTER TABLE cox.step ADD COLUMN component integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN cox.step.component IS
  'Of a heterogeneous job: the component on whose nodes it runs (srun --het-group); -1: on all.';

CREATE VIEW cox.job_component AS
  SELECT j.id AS job_id, 0 AS component, j.partition, j.nodes, j.tasks, j.tasks_per_node,
         j.cpus_per_task, j.memory_mb_per_node, j.gpu_type, j.gpus_per_node, j.gpu_milli, j.gres,
         j.exclusive, j.nodelist, j.exclude, j.required_feature
    FROM cox.job j
  UNION ALL
  SELECT j.id, c.component::integer, r.partition, r.nodes, r.tasks, r.tasks_per_node,
         r.cpus_per_task, r.memory_mb_per_node, r.gpu_type, r.gpus_per_node, r.gpu_milli, r.gres,
         r.exclusive, r.nodelist, r.exclude, r.required_feature
    FROM cox.job j,
         jsonb_array_elements(j.components) WITH ORDINALITY AS c(size, component),
         jsonb_to_record(c.size) AS r(
           partition text, nodes bigint, tasks bigint, tasks_per_node bigint, cpus_per_task bigint,
           memory_mb_per_node bigint, gpu_type text, gpus_per_node bigint, gpu_milli integer,
           gres text, exclusive boolean, nodelist text[], exclude text[], required_feature text);
COMMENT ON VIEW cox.job_component IS
  'What jobs ask for, a row for each component: one of a job that is alike, several of a '
  'heterogeneous one.';
COMMENT ON COLUMN cox.job_component.job_id IS 'Whose it is.';
COMMENT ON COLUMN cox.job_component.component IS 'From 0: people write 17+1 for component 1 of job 17.';
COMMENT ON COLUMN cox.job_component.partition IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.nodes IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.tasks IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.tasks_per_node IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.cpus_per_task IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.memory_mb_per_node IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.gpu_type IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.gpus_per_node IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.gpu_milli IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.gres IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.exclusive IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.nodelist IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.exclude IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.required_feature IS 'As cox.job has it, of this component.';

-- Of the components behind the first: the sum of a number, or of the product of several.
CREATE FUNCTION cox.of_components(components jsonb, a text, b text DEFAULT NULL,
                                  c text DEFAULT NULL)
RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN components = '[]' THEN 0 ELSE (
    SELECT sum((one ->> a)::bigint * coalesce((one ->> b)::bigint, 1) *
               coalesce((one ->> c)::bigint, 1))
      FROM jsonb_array_elements(components) AS one) END::bigint
$$;
COMMENT ON FUNCTION cox.of_components(jsonb, text, text, text) IS
  'Of cox.job.components, all together: how many nodes, or the product of nodes and GPUs on each.';

CREATE OR REPLACE VIEW cox.queue AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition,
         j.tasks + cox.of_components(j.components, 'tasks') AS tasks,
         j.nodes + cox.of_components(j.components, 'nodes') AS nodes,
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

CREATE OR REPLACE VIEW cox.waiting AS
  SELECT j.id, j.state, j.name, j.user_name, j.qos, j.partition,
         j.nodes + cox.of_components(j.components, 'nodes') AS nodes,
         j.tasks + cox.of_components(j.components, 'tasks') AS tasks,
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

CREATE OR REPLACE VIEW cox.limit_waits AS
  SELECT w.reason, l.owner, l.name AS limit_name,
         (array_agg(l.most ORDER BY w.last_judged_at DESC, w.id))[1] AS most,
         (array_agg(l.used ORDER BY w.last_judged_at DESC, w.id))[1] AS used,
         sum(t.tasks)::bigint AS jobs, count(DISTINCT w.user_name) AS users,
         array_agg(DISTINCT w.user_name) AS user_names, min(w.id) AS first_job,
         min(w.first_judged_at) AS since, max(w.waiting) AS longest,
         sum(t.tasks * (j.nodes + cox.of_components(j.components, 'nodes')))::bigint AS nodes,
         sum(t.tasks * (j.tasks * j.cpus_per_task +
                        cox.of_components(j.components, 'tasks', 'cpus_per_task')))::bigint AS cpus,
         sum(t.tasks * (j.nodes * j.memory_mb_per_node +
                        cox.of_components(j.components, 'nodes', 'memory_mb_per_node')))::bigint
           AS memory_mb,
         trim_scale(sum(t.tasks * (j.nodes * j.gpus_per_node * j.gpu_milli +
                                   cox.of_components(j.components, 'nodes', 'gpus_per_node',
                                                     'gpu_milli'))) / 1000.0) AS gpus
    FROM cox.waiting w
    JOIN cox.job j ON j.id = w.id
    CROSS JOIN LATERAL (SELECT cox.task_count(w.array_tasks) AS tasks) t
    CROSS JOIN LATERAL cox.limit_in(w.detail) l
    WHERE w.reason ~ '^(QOS|Assoc)' OR w.reason = 'JobArrayTaskLimit'
    GROUP BY w.reason, l.owner, l.name
    ORDER BY jobs DESC, w.reason, l.owner, l.name;

SELECT cox.grant_reader();
