-- Steps: the tasks that srun starts inside an allocation.
CREATE TYPE cox.distribution AS ENUM ('block', 'cyclic', 'plane');
COMMENT ON TYPE cox.distribution IS 'How the tasks of a step are dealt out to its nodes.';
CREATE TYPE cox.step_phase AS ENUM ('asked', 'running', 'gone');
COMMENT ON TYPE cox.step_phase IS 'Where a step stands on one node.';

CREATE TABLE cox.step (
  job_id bigint NOT NULL,
  attempt integer NOT NULL,
  number integer NOT NULL CHECK (number >= 0),
  state cox.job_state NOT NULL,
  name text NOT NULL,
  request_id text NOT NULL,
  nodes_min bigint NOT NULL,
  nodes_max bigint NOT NULL,
  tasks_asked bigint NOT NULL,
  tasks_per_node bigint NOT NULL,
  cpus_per_task bigint NOT NULL,
  nodelist text[] NOT NULL,
  exclude text[] NOT NULL,
  relative bigint NOT NULL,
  exact boolean NOT NULL,
  overlap boolean NOT NULL,
  memory_mb_per_node bigint NOT NULL,
  gpus_per_node bigint NOT NULL,
  gpus_per_task bigint NOT NULL,
  gpus bigint NOT NULL,
  distribution cox.distribution NOT NULL,
  plane bigint NOT NULL,
  time_limit_s bigint NOT NULL,
  immediate boolean NOT NULL,
  overcommit boolean NOT NULL,
  memory_mb_per_cpu bigint NOT NULL,
  node_list text[] NOT NULL,
  node_tasks integer[] NOT NULL,
  node_cpus bigint[] NOT NULL,
  node_memory_mb bigint[] NOT NULL,
  node_gpus text[] NOT NULL,
  node_phase cox.step_phase[] NOT NULL,
  tasks bigint NOT NULL,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  exit_code integer NOT NULL,
  exit_signal integer NOT NULL,
  stopping boolean NOT NULL,
  timed_out boolean NOT NULL,
  out_of_memory boolean NOT NULL,
  user_cpu_ms bigint NOT NULL,
  system_cpu_ms bigint NOT NULL,
  max_rss_kb bigint NOT NULL,
  why text NOT NULL,
  PRIMARY KEY (job_id, attempt, number),
  FOREIGN KEY (job_id, attempt) REFERENCES cox.attempt ON DELETE CASCADE,
  CONSTRAINT step_nodes_are_parallel CHECK (
    cardinality(node_list) = cardinality(node_tasks)
    AND cardinality(node_list) = cardinality(node_cpus)
    AND cardinality(node_list) = cardinality(node_memory_mb)
    AND cardinality(node_list) = cardinality(node_gpus)
    AND cardinality(node_list) = cardinality(node_phase)),
  CONSTRAINT step_runs_somewhere CHECK (state <> 'RUNNING' OR cardinality(node_list) > 0),
  CONSTRAINT step_started_before_it_runs CHECK (state <> 'RUNNING' OR started_at IS NOT NULL),
  CONSTRAINT step_ended_in_a_final_state CHECK (
    (ended_at IS NOT NULL) = (state NOT IN ('PENDING', 'RUNNING')))
);
COMMENT ON TABLE cox.step IS 'Every step of every attempt: what srun has started in it.';
COMMENT ON COLUMN cox.step.job_id IS 'The job.';
COMMENT ON COLUMN cox.step.attempt IS 'The attempt whose allocation it is part of.';
COMMENT ON COLUMN cox.step.number IS 'Which step of the attempt, from 0.';
COMMENT ON COLUMN cox.step.state IS
  'PENDING: it waits for room in the allocation; RUNNING; then how it ended.';
COMMENT ON COLUMN cox.step.name IS 'The program that srun was given.';
COMMENT ON COLUMN cox.step.request_id IS
  'The client''s; asked again with the same one it is the same step.';
COMMENT ON COLUMN cox.step.nodes_min IS 'Nodes asked for at least; 0: as many as its tasks need.';
COMMENT ON COLUMN cox.step.nodes_max IS 'Nodes asked for at most; 0: likewise.';
COMMENT ON COLUMN cox.step.tasks_asked IS 'Tasks asked for; 0: one a node.';
COMMENT ON COLUMN cox.step.tasks_per_node IS 'Tasks of each node; 0: not asked.';
COMMENT ON COLUMN cox.step.cpus_per_task IS 'CPUs of each task; 0: not asked.';
COMMENT ON COLUMN cox.step.nodelist IS 'Only these nodes, and all of them; empty: any.';
COMMENT ON COLUMN cox.step.exclude IS 'None of these nodes.';
COMMENT ON COLUMN cox.step.relative IS 'From this node of the allocation on; -1: not asked.';
COMMENT ON COLUMN cox.step.exact IS 'It has of a node only what its tasks ask for.';
COMMENT ON COLUMN cox.step.overlap IS 'It shares what other steps have.';
COMMENT ON COLUMN cox.step.memory_mb_per_node IS
  'Memory of each node, in MiB; 0: all of it, shared.';
COMMENT ON COLUMN cox.step.gpus_per_node IS 'GPUs of each node; -1: not asked.';
COMMENT ON COLUMN cox.step.gpus_per_task IS 'GPUs of each task; -1: not asked.';
COMMENT ON COLUMN cox.step.gpus IS 'GPUs of all nodes; -1: not asked.';
COMMENT ON COLUMN cox.step.distribution IS 'How its tasks are dealt out to its nodes.';
COMMENT ON COLUMN cox.step.plane IS 'Of distribution plane: so many at a time.';
COMMENT ON COLUMN cox.step.time_limit_s IS 'Its own time limit in seconds; 0: the job''s.';
COMMENT ON COLUMN cox.step.immediate IS 'It did not want to wait for room.';
COMMENT ON COLUMN cox.step.overcommit IS 'As many tasks as asked for, whatever the CPUs.';
COMMENT ON COLUMN cox.step.memory_mb_per_cpu IS
  'Memory of each CPU, in MiB, instead of that of each node; 0: not asked.';
COMMENT ON COLUMN cox.step.node_list IS
  'Its nodes, in the order of the job''s; empty while it waits.';
COMMENT ON COLUMN cox.step.node_tasks IS 'How many of its tasks run on each of them.';
COMMENT ON COLUMN cox.step.node_cpus IS 'CPUs it has on each of them.';
COMMENT ON COLUMN cox.step.node_memory_mb IS
  'Memory it has on each of them, in MiB; 0: not counted.';
COMMENT ON COLUMN cox.step.node_gpus IS 'GPU device indices it has on each of them, such as 0,1.';
COMMENT ON COLUMN cox.step.node_phase IS 'Where it stands on each of them.';
COMMENT ON COLUMN cox.step.tasks IS 'All its tasks; 0 while it waits.';
COMMENT ON COLUMN cox.step.created_at IS 'When it was asked for.';
COMMENT ON COLUMN cox.step.started_at IS 'When it had its room; null: not yet.';
COMMENT ON COLUMN cox.step.ended_at IS 'When nothing of it was left; null: it has not ended.';
COMMENT ON COLUMN cox.step.exit_code IS 'The highest of its tasks.';
COMMENT ON COLUMN cox.step.exit_signal IS 'What ended one of its tasks; 0: none was.';
COMMENT ON COLUMN cox.step.stopping IS 'Somebody has asked for its end.';
COMMENT ON COLUMN cox.step.timed_out IS 'Its own time limit had passed.';
COMMENT ON COLUMN cox.step.out_of_memory IS
  'The kernel ended one of its tasks for want of memory.';
COMMENT ON COLUMN cox.step.user_cpu_ms IS 'What its tasks took of CPUs themselves, in ms.';
COMMENT ON COLUMN cox.step.system_cpu_ms IS 'What the kernel took for them, in ms.';
COMMENT ON COLUMN cox.step.max_rss_kb IS 'The most memory one of its tasks held, in KiB.';
COMMENT ON COLUMN cox.step.why IS 'The reason of its end, for people.';

CREATE VIEW cox.steps AS
  SELECT CASE WHEN j.array_task >= 0 THEN j.array_job || '_' || j.array_task ELSE j.id::text END
           || '.' || s.number AS step,
         s.job_id, s.attempt, s.number, s.name, j.user_name, s.state,
         cardinality(s.node_list) AS nodes, s.tasks, s.node_list,
         date_trunc('second', coalesce(s.ended_at, now()) - s.started_at) AS elapsed,
         s.exit_code, s.exit_signal,
         make_interval(secs => (s.user_cpu_ms + s.system_cpu_ms) / 1000.0) AS cpu_time,
         s.max_rss_kb, s.why, s.created_at, s.ended_at
    FROM cox.step s JOIN cox.job j ON j.id = s.job_id
    ORDER BY s.job_id DESC, s.attempt DESC, s.number DESC;
COMMENT ON VIEW cox.steps IS 'The steps of jobs, the newest first.';
COMMENT ON COLUMN cox.steps.step IS 'JOB.STEP, as commands name it; of a task of an array JOB_TASK.STEP.';
COMMENT ON COLUMN cox.steps.job_id IS 'The job.';
COMMENT ON COLUMN cox.steps.attempt IS 'The attempt.';
COMMENT ON COLUMN cox.steps.number IS 'Which step of it.';
COMMENT ON COLUMN cox.steps.name IS 'The program that srun was given.';
COMMENT ON COLUMN cox.steps.user_name IS 'Whose it is.';
COMMENT ON COLUMN cox.steps.state IS 'Where it stands, or how it ended.';
COMMENT ON COLUMN cox.steps.nodes IS 'On how many nodes.';
COMMENT ON COLUMN cox.steps.tasks IS 'How many tasks.';
COMMENT ON COLUMN cox.steps.node_list IS 'Which nodes.';
COMMENT ON COLUMN cox.steps.elapsed IS 'How long it has run, or did run.';
COMMENT ON COLUMN cox.steps.exit_code IS 'The highest of its tasks.';
COMMENT ON COLUMN cox.steps.exit_signal IS 'What ended one of its tasks; 0: none was.';
COMMENT ON COLUMN cox.steps.cpu_time IS 'What its tasks took of CPUs.';
COMMENT ON COLUMN cox.steps.max_rss_kb IS 'The most memory one of its tasks held, in KiB.';
COMMENT ON COLUMN cox.steps.why IS 'The reason of its end.';
COMMENT ON COLUMN cox.steps.created_at IS 'When it was asked for.';
COMMENT ON COLUMN cox.steps.ended_at IS 'When it ended; null: it has not.';

SELECT cox.grant_reader();
