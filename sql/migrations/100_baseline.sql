-- Schema cox, which holds all state of a Coxswain cluster, as of the first release: types, tables, indexes,
-- constraints and first rows. Later migrations change it. Views, and functions with their triggers
-- and grants, are in sql/views and sql/functions. The number is 100 because databases from before
-- the first release had the versions 1 to 62: a controller refuses them.

CREATE SCHEMA cox;
COMMENT ON SCHEMA cox IS
  'Coxswain: jobs, their attempts, checkpoints and history. Start with SELECT * FROM cox.queue.';

-- ---- Types, and functions of CHECKs ------------------------------------------------------------

-- The order is that of common/job/job_state.h. Every state from COMPLETED on is final.
CREATE TYPE cox.job_state AS ENUM (
  'PENDING', 'CONFIGURING', 'RUNNING', 'SUSPENDED', 'SIGNALING', 'COMPLETING', 'COMPLETED',
  'FAILED', 'CANCELLED', 'TIMEOUT', 'NODE_FAIL', 'PREEMPTED', 'OUT_OF_MEMORY', 'DEADLINE');
COMMENT ON TYPE cox.job_state IS
  'States of a job, by Slurm''s names; from COMPLETED on they are final.';
CREATE TYPE cox.job_form AS ENUM ('gang', 'batch', 'allocation');
CREATE TYPE cox.checkpoint_by AS ENUM ('all_ranks', 'rank0');
CREATE TYPE cox.dependency_kind AS ENUM (
  'after', 'afterany', 'afterok', 'afternotok', 'singleton', 'aftercorr');
COMMENT ON TYPE cox.dependency_kind IS
  'What another job must have done: after: begun; afterany: ended; afterok: COMPLETED; afternotok: ended '
  'otherwise; singleton: all earlier jobs of the same name and user have ended; aftercorr: the task of '
  'the same number of another array is COMPLETED.';
CREATE TYPE cox.stop_why AS ENUM (
  'none', 'jobended', 'preempt', 'drain', 'migrate', 'requeue', 'leaseended', 'timelimit',
  'nodelost', 'launchundone', 'rankfailed', 'outofmemory', 'cancel', 'deadline');
CREATE TYPE cox.node_phase AS ENUM ('preparing', 'ready', 'running', 'stopping', 'gone');
CREATE TYPE cox.rank_phase AS ENUM ('waiting', 'running', 'exited');
CREATE TYPE cox.step_phase AS ENUM ('asked', 'running', 'gone');
COMMENT ON TYPE cox.step_phase IS 'Phase of a step on one node.';
CREATE TYPE cox.distribution AS ENUM ('block', 'cyclic', 'plane', 'arbitrary');
COMMENT ON TYPE cox.distribution IS 'How the tasks of a step are distributed over its nodes (-m).';
CREATE TYPE cox.drained_by AS ENUM (
  'nobody', 'person', 'health_check', 'failures', 'kill_task', 'prolog_epilog');
COMMENT ON TYPE cox.drained_by IS 'What drained a node.';
CREATE TYPE cox.partition_state AS ENUM ('UP', 'DOWN', 'DRAIN', 'INACTIVE');
COMMENT ON TYPE cox.partition_state IS
  'UP: jobs are accepted and start. DOWN: jobs are accepted, but none starts. DRAIN: no new jobs are '
  'accepted, but pending jobs start. INACTIVE: neither.';
CREATE TYPE cox.recurrence AS ENUM ('none', 'hourly', 'daily', 'weekly', 'weekday', 'weekend');
COMMENT ON TYPE cox.recurrence IS 'How an advance reservation recurs.';
CREATE TYPE cox.preempt_mode AS ENUM ('checkpoint', 'requeue', 'cancel', 'off', 'suspend');
CREATE TYPE cox.trigger_event AS ENUM (
  'down', 'up', 'drained', 'draining', 'idle', 'resume', 'fini', 'time',
  'primary_slurmctld_resumed_operation');
COMMENT ON TYPE cox.trigger_event IS 'What an event trigger waits for.';

-- Two functions that CHECKs call. They belong to the tables, not to sql/functions: a migration that
-- changes one must also handle the existing rows. They accept what common/syntax/tres.h parses, with its
-- bounds.
CREATE FUNCTION cox.is_tres(list text)
  RETURNS boolean LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog AS $$
  SELECT list = '' OR (
    SELECT bool_and(one ~ '^((cpu|node)=[0-9]{1,15}'
                          '|mem=([0-9]{1,15}M?|[0-9]{1,12}G|[0-9]{1,9}T|[0-9]{1,6}P)'
                          '|gres/gpu(:[A-Za-z0-9][A-Za-z0-9_.-]{0,62})?=[0-9]{1,12}(\.[0-9]{1,3})?'
                          '|gres/(?!gpu[:=])[A-Za-z0-9][A-Za-z0-9_.-]{0,62}'
                          '(:[A-Za-z0-9][A-Za-z0-9_.-]{0,62})?=[0-9]{1,15}'
                          '|license/[A-Za-z0-9][A-Za-z0-9_.-]{0,62}=[0-9]{1,15})$')
           AND count(*) <= 32 AND count(*) = count(DISTINCT split_part(one, '=', 1))
      FROM unnest(string_to_array(list, ',')) AS one)
$$;
COMMENT ON FUNCTION cox.is_tres(text) IS
  'Whether the text is a TRES list: cpu=64,mem=512G,node=4,gres/gpu=8,gres/gpu:h100=4,license/matlab=2.';

CREATE FUNCTION cox.is_tres_by_hours(list text)
  RETURNS boolean LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog AS $$
  SELECT list = '' OR (
    SELECT bool_and(cox.is_tres(split_part(one, '@', 1))
                    AND one ~ '^[^@]+(@[A-Za-z0-9][A-Za-z0-9_.-]{0,62})?$')
           AND count(*) <= 32
           AND count(*) = count(DISTINCT (split_part(one, '=', 1), split_part(one, '@', 2)))
      FROM unnest(string_to_array(list, ',')) AS one)
$$;
COMMENT ON FUNCTION cox.is_tres_by_hours(text) IS
  'Whether the text is a TRES list, as in cox.is_tres, in which entries may name hours: '
  '"gres/gpu:h100=4,gres/gpu:h100=16@nights".';

-- ---- Jobs --------------------------------------------------------------------------------------

-- Scripts and environments, stored once for each user and content (the key is a SHA-256).
CREATE TABLE cox.blob (
  hash text PRIMARY KEY,
  content bytea NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE cox.blob IS
  'Scripts and environments, each stored once for each user by its content. Environments may hold secrets.';
COMMENT ON COLUMN cox.blob.hash IS
  'The key: sha256:UID:HEX. 32 hex digits alone: the xxh3-128 of the content, by an older version.';
COMMENT ON COLUMN cox.blob.content IS 'The content.';
COMMENT ON COLUMN cox.blob.stored_at IS 'When it was first stored.';

-- A job's row: its state, then what it asked for. Columns were added over time, so
-- groups repeat; their order must not change, because the controller passes rows as values of this
-- type.
CREATE TABLE cox.job (
  id bigint PRIMARY KEY,
  state cox.job_state NOT NULL,
  name text NOT NULL,
  user_name text NOT NULL,
  partition text NOT NULL,
  qos text NOT NULL,
  attempt integer NOT NULL CHECK (attempt >= 0),
  held boolean NOT NULL,
  why text NOT NULL,
  submitted_at timestamptz NOT NULL,
  eligible_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  exit_code integer NOT NULL,
  exit_signal integer NOT NULL,
  restarts integer NOT NULL CHECK (restarts >= 0),
  avoid_nodes text[] NOT NULL,
  -- What was asked for: sbatch, srun, cox submit.
  request_id text NOT NULL,
  form cox.job_form NOT NULL,
  command text[] NOT NULL,
  script_hash text NOT NULL,
  environment_hash text NOT NULL,
  uid bigint NOT NULL,
  gid bigint NOT NULL,
  work_dir text NOT NULL,
  output text NOT NULL,
  error text NOT NULL,
  input text NOT NULL,
  append_output boolean NOT NULL,
  nodes bigint NOT NULL CHECK (nodes >= 0),
  tasks bigint NOT NULL CHECK (tasks >= 0),
  tasks_asked boolean NOT NULL,
  tasks_per_node bigint NOT NULL,
  cpus_per_task bigint NOT NULL,
  cpus_per_task_asked boolean NOT NULL,
  memory_mb_per_node bigint NOT NULL,
  gpu_type text NOT NULL,
  gpus_per_node bigint NOT NULL,
  exclusive boolean NOT NULL,
  nodelist text[] NOT NULL,
  required_feature text NOT NULL,
  time_limit_s bigint NOT NULL,
  signal_number integer NOT NULL,
  signal_seconds_before bigint NOT NULL,
  signal_batch_only boolean NOT NULL,
  checkpoint_signal integer NOT NULL,
  checkpoint_by cox.checkpoint_by NOT NULL,
  requeue boolean NOT NULL,
  requeue_on_timeout boolean NOT NULL,
  no_fence boolean NOT NULL,
  hold boolean NOT NULL,
  submit_host text NOT NULL,
  -- Parts of GPUs, types of GPUs, other GRES, licences, node counts, topology.
  gpu_milli integer NOT NULL DEFAULT 1000 CHECK (gpu_milli BETWEEN 1 AND 1000),
  gpu_choice text NOT NULL DEFAULT '',
  gres text NOT NULL DEFAULT '',
  licences text NOT NULL DEFAULT '',
  node_sizes text NOT NULL DEFAULT '',
  switches text NOT NULL DEFAULT '',
  topology text NOT NULL DEFAULT '',
  time_min_s bigint NOT NULL DEFAULT 0,
  nice bigint NOT NULL DEFAULT 0,
  -- What the job waits for besides room: other jobs, and a time of day.
  dependency text NOT NULL DEFAULT '',
  begin_at timestamptz,
  deadline_at timestamptz,
  kill_on_invalid_dependency boolean,
  dependency_kind cox.dependency_kind[] NOT NULL DEFAULT '{}',
  dependency_on bigint[] NOT NULL DEFAULT '{}',
  dependency_delay_s bigint[] NOT NULL DEFAULT '{}',
  dependency_never boolean[] NOT NULL DEFAULT '{}',
  -- Account, advance reservation, and the array tasks that the row stands for.
  account text NOT NULL DEFAULT '',
  reservation text NOT NULL DEFAULT '',
  array_asked text NOT NULL DEFAULT '',
  array_job bigint NOT NULL DEFAULT 0 CHECK (array_job >= 0),
  array_task bigint NOT NULL DEFAULT -1 CHECK (array_task >= -1),
  array_tasks text NOT NULL DEFAULT '',
  array_limit bigint NOT NULL DEFAULT 0 CHECK (array_limit >= 0),
  dependency_task bigint[] NOT NULL DEFAULT '{}',
  -- Further options of sbatch.
  exclude text[] NOT NULL DEFAULT '{}',
  memory_mb_per_cpu bigint NOT NULL DEFAULT 0,
  memory_mb_per_gpu bigint NOT NULL DEFAULT 0,
  gpus bigint NOT NULL DEFAULT 0,
  gpus_per_task bigint NOT NULL DEFAULT 0,
  cpus_per_gpu bigint NOT NULL DEFAULT 0,
  tasks_per_gpu bigint NOT NULL DEFAULT 0,
  whole_memory boolean NOT NULL DEFAULT false,
  comment text NOT NULL DEFAULT '',
  wckey text NOT NULL DEFAULT '',
  mail_type text NOT NULL DEFAULT '',
  mail_user text NOT NULL DEFAULT '',
  command_path text NOT NULL DEFAULT '',
  stored_options text[] NOT NULL DEFAULT '{}',
  -- The other components of a heterogeneous job.
  components jsonb NOT NULL DEFAULT '[]',
  held_why text NOT NULL DEFAULT '',
  -- A starting controller reads one specification for all jobs that have the same digest.
  spec_digest uuid,
  -- A restored database may issue job ids again; the identity of a job is never repeated.
  identity text NOT NULL DEFAULT '',
  -- A start from a checkpoint of another job.
  resume_job bigint NOT NULL DEFAULT 0,
  resume_step bigint NOT NULL DEFAULT -1,
  resume_attempt integer NOT NULL DEFAULT 0,
  resume_identity text NOT NULL DEFAULT '',
  resume_ranks integer NOT NULL DEFAULT 0,
  -- Requirements on the nodes.
  min_cpus bigint NOT NULL DEFAULT 0,
  contiguous boolean NOT NULL DEFAULT false,
  exclusive_user boolean NOT NULL DEFAULT false,
  preferred_feature text NOT NULL DEFAULT '',
  CONSTRAINT job_ended_exactly_when_final
    CHECK ((ended_at IS NOT NULL) = (state >= 'COMPLETED')),
  CONSTRAINT job_live_has_an_attempt
    CHECK (state = 'PENDING' OR state >= 'COMPLETED' OR attempt >= 1),
  CONSTRAINT job_running_has_started
    CHECK (state NOT IN ('RUNNING', 'SIGNALING') OR started_at IS NOT NULL),
  CONSTRAINT job_completed_exited_zero
    CHECK (state <> 'COMPLETED' OR (exit_code = 0 AND exit_signal = 0)),
  CONSTRAINT job_suspended_has_started
    CHECK (state::text <> 'SUSPENDED' OR started_at IS NOT NULL),
  CONSTRAINT job_dependencies_are_parallel CHECK (
    cardinality(dependency_kind) = cardinality(dependency_on)
    AND cardinality(dependency_kind) = cardinality(dependency_delay_s)
    AND cardinality(dependency_kind) = cardinality(dependency_never)),
  CONSTRAINT job_dependent_waits
    CHECK (cardinality(dependency_on) = 0 OR state = 'PENDING' OR state >= 'COMPLETED'),
  CONSTRAINT job_dependency_tasks_are_parallel
    CHECK (cardinality(dependency_on) = cardinality(dependency_task))
);
CREATE INDEX job_not_ended ON cox.job (id) WHERE ended_at IS NULL;
CREATE INDEX job_lately_ended ON cox.job (ended_at) WHERE ended_at IS NOT NULL;
CREATE UNIQUE INDEX job_by_request ON cox.job (request_id) WHERE request_id <> '';
CREATE INDEX job_of_array ON cox.job (array_job, array_task) WHERE array_job > 0;
-- For the history of an array, which is read row by row.
CREATE INDEX job_rows_of_array ON cox.job (array_job, id) WHERE array_job > 0;
-- user_name never changes and ended_at is indexed already, so this index adds no cost to updates of a
-- job that has not ended.
CREATE INDEX job_of_user ON cox.job (user_name, ended_at);
-- Lets a starting controller find the jobs with dependencies without reading all pending jobs.
CREATE INDEX job_that_depends ON cox.job (id) WHERE ended_at IS NULL AND dependency_on <> '{}';
COMMENT ON INDEX cox.job_that_depends IS 'Jobs that wait for others.';
COMMENT ON TABLE cox.job IS 'All jobs that were ever accepted: their state and what they asked for.';
COMMENT ON COLUMN cox.job.id IS 'The job id; the controller never issues it again.';
COMMENT ON COLUMN cox.job.state IS
  'State of the job, by Slurm''s names. A job that was preempted and requeued is PENDING.';
COMMENT ON COLUMN cox.job.name IS 'The job''s name, --job-name.';
COMMENT ON COLUMN cox.job.user_name IS 'The job''s user, authenticated by the connection.';
COMMENT ON COLUMN cox.job.partition IS 'The partitions that it asked for, separated by commas.';
COMMENT ON COLUMN cox.job.qos IS
  'Its QOS: a row of cox.qos, which exists at least until the job has ended.';
COMMENT ON COLUMN cox.job.attempt IS 'The newest attempt; 0 before the first.';
COMMENT ON COLUMN cox.job.held IS 'A user or an operator holds it: cox release JOB.';
COMMENT ON COLUMN cox.job.why IS 'The reason of the last change of state.';
COMMENT ON COLUMN cox.job.submitted_at IS 'When it was accepted.';
COMMENT ON COLUMN cox.job.eligible_at IS 'Since when it is eligible; a requeue does not change it.';
COMMENT ON COLUMN cox.job.started_at IS
  'When the newest attempt reached RUNNING; null: none did.';
COMMENT ON COLUMN cox.job.ended_at IS
  'When it reached its final state; null: it has not ended.';
COMMENT ON COLUMN cox.job.exit_code IS 'Exit code of the first failing rank; 0: none failed.';
COMMENT ON COLUMN cox.job.exit_signal IS
  'Signal that ended the first failing rank; 0: none.';
COMMENT ON COLUMN cox.job.restarts IS 'Number of attempts that reached RUNNING, minus one.';
COMMENT ON COLUMN cox.job.avoid_nodes IS
  'Nodes that recently refused or lost the job; the next placement avoids them.';
COMMENT ON COLUMN cox.job.request_id IS
  'The client''s id of the submission: a retry with the same id returns the same job.';
COMMENT ON COLUMN cox.job.form IS
  'gang: the command is started as every rank. batch: the script runs once, on the first node. '
  'allocation: only steps run, which the user starts (salloc, srun).';
COMMENT ON COLUMN cox.job.command IS
  'gang: the command and its arguments; batch: the arguments of the script.';
COMMENT ON COLUMN cox.job.script_hash IS 'Hash of the script in cox.blob; empty: a gang.';
COMMENT ON COLUMN cox.job.environment_hash IS
  'Hash of the environment in cox.blob: NAME=value, each ended by a NUL byte.';
COMMENT ON COLUMN cox.job.uid IS 'User id that the ranks run as.';
COMMENT ON COLUMN cox.job.gid IS 'Group id that the ranks run as.';
COMMENT ON COLUMN cox.job.work_dir IS 'Working directory, --chdir.';
COMMENT ON COLUMN cox.job.output IS
  'Pattern of the output file as submitted; empty: the default of the form.';
COMMENT ON COLUMN cox.job.error IS
  'Pattern of the error file as submitted; empty: the same file as output.';
COMMENT ON COLUMN cox.job.input IS 'Pattern of the input file as submitted; empty: /dev/null.';
COMMENT ON COLUMN cox.job.append_output IS
  'Output files are appended to, not truncated: --open-mode=append.';
COMMENT ON COLUMN cox.job.nodes IS 'Nodes asked for.';
COMMENT ON COLUMN cox.job.tasks IS 'Tasks (ranks) asked for.';
COMMENT ON COLUMN cox.job.tasks_asked IS 'Whether --ntasks was given.';
COMMENT ON COLUMN cox.job.tasks_per_node IS '--ntasks-per-node; 0: not asked.';
COMMENT ON COLUMN cox.job.cpus_per_task IS 'CPUs of each task.';
COMMENT ON COLUMN cox.job.cpus_per_task_asked IS 'Whether --cpus-per-task was given.';
COMMENT ON COLUMN cox.job.memory_mb_per_node IS 'Memory on each node in MiB, --mem; 0: not asked.';
COMMENT ON COLUMN cox.job.gpu_type IS
  'Accepted GPU types, each with its relative speed: h200|h100:0.8; empty: any.';
COMMENT ON COLUMN cox.job.gpus_per_node IS 'GPUs on each node.';
COMMENT ON COLUMN cox.job.exclusive IS 'It gets whole nodes, which no other job shares.';
COMMENT ON COLUMN cox.job.nodelist IS 'Nodes that it asks for by name; it needs all of them.';
COMMENT ON COLUMN cox.job.required_feature IS
  'Features its nodes must have, --constraint: a&b, [a|b], [a*2&b*4]; empty: none.';
COMMENT ON COLUMN cox.job.time_limit_s IS 'Time limit in seconds; 0: none.';
COMMENT ON COLUMN cox.job.signal_number IS
  'Signal to send ahead of the time limit, --signal; 0: none asked.';
COMMENT ON COLUMN cox.job.signal_seconds_before IS 'Seconds before the time limit at which it is sent.';
COMMENT ON COLUMN cox.job.signal_batch_only IS 'It is sent only to the batch shell (B:).';
COMMENT ON COLUMN cox.job.checkpoint_signal IS
  'Signal that asks for a checkpoint; 0: that of --signal, else SIGCONT and SIGTERM.';
COMMENT ON COLUMN cox.job.checkpoint_by IS 'Which ranks report a saved step: all_ranks, or rank0 for all.';
COMMENT ON COLUMN cox.job.requeue IS 'It is requeued after preemption or the loss of a node.';
COMMENT ON COLUMN cox.job.requeue_on_timeout IS
  'It is requeued after its time limit, to resume from its checkpoint.';
COMMENT ON COLUMN cox.job.no_fence IS
  'Two attempts may overlap without harm: it need not wait for the lease of a lost node.';
COMMENT ON COLUMN cox.job.hold IS 'Whether it was submitted held.';
COMMENT ON COLUMN cox.job.submit_host IS 'The host that it was submitted from.';
COMMENT ON COLUMN cox.job.gpu_milli IS 'Share of each of its GPUs, in thousandths; below 1000: a share of one GPU on each node.';
COMMENT ON COLUMN cox.job.gpu_choice IS
  'How it chooses among GPU types: cost, speed or balanced; empty: as set for the partition.';
COMMENT ON COLUMN cox.job.gres IS 'GRES on each node other than GPUs: fpga:u280:2,nic:1.';
COMMENT ON COLUMN cox.job.licences IS 'Licences that it holds while it runs: matlab:2,ansys:1.';
COMMENT ON COLUMN cox.job.node_sizes IS
  'Accepted numbers of nodes, 4-16 or 4,8,16; empty: the number in column nodes.';
COMMENT ON COLUMN cox.job.switches IS
  'The most leaf switches, and how long it waits for that: 1@60, --switches; empty: any number.';
COMMENT ON COLUMN cox.job.topology IS
  'All nodes must be in one domain of a level: required:leaf; empty: as close together as possible.';
COMMENT ON COLUMN cox.job.time_min_s IS
  'The shortest time limit, in seconds, that it accepts to start sooner, --time-min; 0: not asked.';
COMMENT ON COLUMN cox.job.nice IS 'Subtracted from its priority, --nice.';
COMMENT ON COLUMN cox.job.dependency IS 'Dependencies as submitted, --dependency; empty: none.';
COMMENT ON COLUMN cox.job.begin_at IS 'It does not start before this time, --begin; null: at once.';
COMMENT ON COLUMN cox.job.deadline_at IS 'It must end by this time, --deadline; null: none.';
COMMENT ON COLUMN cox.job.kill_on_invalid_dependency IS
  'Whether it is cancelled when a dependency can never be met; null: jobs of an older version.';
COMMENT ON COLUMN cox.job.dependency_kind IS
  'Kinds of the unmet dependencies. The view cox.dependencies has a row for each.';
COMMENT ON COLUMN cox.job.dependency_on IS 'The jobs that it waits for, in the same order; 0: singleton.';
COMMENT ON COLUMN cox.job.dependency_delay_s IS 'Seconds to wait after that, in the same order.';
COMMENT ON COLUMN cox.job.dependency_never IS
  'Whether it can never be met, in the same order.';
COMMENT ON COLUMN cox.job.account IS 'The account that it is charged to; empty: there are no accounts.';
COMMENT ON COLUMN cox.job.reservation IS 'The advance reservation that it asked for; empty: none.';
COMMENT ON COLUMN cox.job.array_asked IS 'The value of --array; empty: it is not an array.';
COMMENT ON COLUMN cox.job.array_job IS 'Id of its array, which is the id of the array''s first row; 0: none.';
COMMENT ON COLUMN cox.job.array_task IS 'Number of the array task; -1: none, or several.';
COMMENT ON COLUMN cox.job.array_tasks IS
  'The array tasks that the row stands for, while they do not differ: 4-999.';
COMMENT ON COLUMN cox.job.array_limit IS
  'The most tasks that may run at once, in the first row of an array; 0: any number.';
COMMENT ON COLUMN cox.job.dependency_task IS
  'Tasks of the arrays that it waits for, in the same order; -1: all tasks, or not an array.';
COMMENT ON COLUMN cox.job.exclude IS 'Nodes that it must not get, --exclude.';
COMMENT ON COLUMN cox.job.memory_mb_per_cpu IS
  'Memory per CPU in MiB, --mem-per-cpu; 0: not asked. The memory of each node follows from it.';
COMMENT ON COLUMN cox.job.memory_mb_per_gpu IS 'Likewise, per GPU, --mem-per-gpu.';
COMMENT ON COLUMN cox.job.gpus IS 'GPUs on all nodes together, --gpus; 0: not asked.';
COMMENT ON COLUMN cox.job.gpus_per_task IS 'The value of --gpus-per-task; 0: not asked.';
COMMENT ON COLUMN cox.job.cpus_per_gpu IS 'The value of --cpus-per-gpu; 0: not asked.';
COMMENT ON COLUMN cox.job.tasks_per_gpu IS 'The value of --ntasks-per-gpu; 0: not asked.';
COMMENT ON COLUMN cox.job.whole_memory IS
  'It asked for all memory of each of its nodes, --mem=0; memory_mb_per_node is then the largest amount of '
  'any node.';
COMMENT ON COLUMN cox.job.comment IS 'The value of --comment.';
COMMENT ON COLUMN cox.job.wckey IS 'The value of --wckey.';
COMMENT ON COLUMN cox.job.mail_type IS 'Events that cause mail: BEGIN,END,FAIL, --mail-type; empty: none.';
COMMENT ON COLUMN cox.job.mail_user IS 'Recipient of the mail, --mail-user; empty: the job''s owner.';
COMMENT ON COLUMN cox.job.command_path IS
  'Path of the script that sbatch read; empty: the script is not from a file, or there is none.';
COMMENT ON COLUMN cox.job.stored_options IS
  'Other options of Slurm as submitted, NAME=VALUE.';
COMMENT ON COLUMN cox.job.components IS
  'For a heterogeneous job, what each component after the first asks for: an object with the names of '
  'columns of cox.job, which have the values of the first component. Empty: another kind of job. '
  'cox.job_component has all components as rows.';
COMMENT ON COLUMN cox.job.held_why IS
  'Why the controller holds it: no node can launch it. Empty: the controller does not hold it.';
COMMENT ON COLUMN cox.job.spec_digest IS
  'Hash, by the controller, of what the job asks for: equal for jobs of one user that ask for the same. '
  'null: a job of an older version, or a row that was changed by hand.';
COMMENT ON COLUMN cox.job.identity IS
  'A UUID that no other job has; it is in the path of the job''s checkpoints and in their manifests. Empty: '
  'a job of an older version.';
COMMENT ON COLUMN cox.job.resume_job IS
  'The job from whose checkpoint it starts (--resume-from); 0: none.';
COMMENT ON COLUMN cox.job.resume_step IS 'The training step of that checkpoint.';
COMMENT ON COLUMN cox.job.resume_attempt IS 'The attempt that saved it.';
COMMENT ON COLUMN cox.job.resume_identity IS 'The identity of the job that saved it.';
COMMENT ON COLUMN cox.job.resume_ranks IS 'Number of ranks that saved it.';
COMMENT ON COLUMN cox.job.min_cpus IS
  'The fewest CPUs that each of its nodes must have, --mincpus; 0: not asked.';
COMMENT ON COLUMN cox.job.contiguous IS
  'Its nodes are next to one another in the order of the cluster''s nodes, --contiguous.';
COMMENT ON COLUMN cox.job.exclusive_user IS
  'Only jobs of the same user run on its nodes, --exclusive=user.';
COMMENT ON COLUMN cox.job.preferred_feature IS
  'Features that are tried before required_feature, --prefer; empty: none.';

-- The columns of a job that a turn changes. A turn passes the rows of a table as one array of the
-- table's row type, not as an array for each column, so PostgreSQL unpacks one array, not a hundred.
CREATE TYPE cox.job_move AS (
  id bigint, state cox.job_state, attempt integer, held boolean, why text,
  eligible_at timestamptz, started_at timestamptz, ended_at timestamptz, exit_code integer,
  exit_signal integer, restarts integer, avoid_nodes text[], state_left cox.job_state,
  attempt_left integer, dependency_kind cox.dependency_kind[], dependency_on bigint[],
  dependency_delay_s bigint[], dependency_never boolean[], array_job bigint, array_task bigint,
  array_tasks text, array_limit bigint, dependency_task bigint[], held_why text);
COMMENT ON TYPE cox.job_move IS 'The columns of a job that a turn changes, and its state and attempt before.';

-- Why jobs wait, and how good the estimates of their starts were.
CREATE TABLE cox.job_wait (
  job_id bigint PRIMARY KEY REFERENCES cox.job ON DELETE CASCADE,
  reason text NOT NULL,
  detail text NOT NULL,
  lines text[] NOT NULL,
  expected_start_at timestamptz,
  first_judged_at timestamptz NOT NULL,
  last_judged_at timestamptz NOT NULL,
  first_estimate_at timestamptz,
  first_estimate_made_at timestamptz,
  priority double precision NOT NULL DEFAULT 0,
  priority_of_age double precision NOT NULL DEFAULT 0,
  age_full_s bigint NOT NULL DEFAULT 0 CHECK (age_full_s >= 0)
);
COMMENT ON TABLE cox.job_wait IS
  'The pending reason of each pending job, as last computed; deleted when the job leaves PENDING.';
COMMENT ON COLUMN cox.job_wait.job_id IS 'The job.';
COMMENT ON COLUMN cox.job_wait.reason IS 'The pending reason, by Slurm''s code.';
COMMENT ON COLUMN cox.job_wait.detail IS
  'The reason with numbers, in one line; empty: the job is too far back in the queue.';
COMMENT ON COLUMN cox.job_wait.lines IS 'The whole explanation, as in cox why.';
COMMENT ON COLUMN cox.job_wait.expected_start_at IS 'Expected start; null: unknown.';
COMMENT ON COLUMN cox.job_wait.first_judged_at IS 'When a pass first found that it waits.';
COMMENT ON COLUMN cox.job_wait.last_judged_at IS
  'When the row was last written.';
COMMENT ON COLUMN cox.job_wait.first_estimate_at IS 'The first estimate of its start.';
COMMENT ON COLUMN cox.job_wait.first_estimate_made_at IS 'When that estimate was made.';
COMMENT ON COLUMN cox.job_wait.priority IS
  'The priority inside the QOS when the row was last written, without the part by age.';
COMMENT ON COLUMN cox.job_wait.priority_of_age IS
  'The most that age adds to the priority; 0 with every priority order except multifactor.';
COMMENT ON COLUMN cox.job_wait.age_full_s IS
  'Seconds of waiting after which age adds all of that; before, it adds a proportional part.';

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
  'For each start that had an estimate: the first estimate and the true time.';
COMMENT ON COLUMN cox.start_estimate.job_id IS 'The job.';
COMMENT ON COLUMN cox.start_estimate.attempt IS 'The attempt that started.';
COMMENT ON COLUMN cox.start_estimate.estimated_at IS 'The first estimate of the start.';
COMMENT ON COLUMN cox.start_estimate.actual_at IS 'When it was placed.';
COMMENT ON COLUMN cox.start_estimate.made_at IS 'When the estimate was made.';

-- The history of jobs: append-only, and partitioned by month (cox.create_event_partitions). Old
-- months are dropped as whole partitions.
CREATE TABLE cox.job_event (
  sequence bigint GENERATED ALWAYS AS IDENTITY,
  job_id bigint NOT NULL,
  attempt integer NOT NULL,
  at timestamptz NOT NULL,
  what text NOT NULL,
  state cox.job_state NOT NULL,
  why text NOT NULL,
  actor text NOT NULL,
  PRIMARY KEY (sequence, at)
) PARTITION BY RANGE (at);
CREATE INDEX job_event_of_a_job ON cox.job_event (job_id, sequence);
CREATE INDEX job_event_by_time ON cox.job_event (at);
CREATE TABLE cox.job_event_default PARTITION OF cox.job_event DEFAULT;
COMMENT ON TABLE cox.job_event IS 'The history of jobs: all events, in order.';
COMMENT ON TABLE cox.job_event_default IS 'Events of months without their own partition.';
COMMENT ON COLUMN cox.job_event.sequence IS
  'Order of the events; increases, with gaps.';
COMMENT ON COLUMN cox.job_event.job_id IS 'The job.';
COMMENT ON COLUMN cox.job_event.attempt IS 'The attempt; 0: before the first.';
COMMENT ON COLUMN cox.job_event.at IS 'Time of the event, by the controller''s clock.';
COMMENT ON COLUMN cox.job_event.what IS
  'Kind of event: state for a change of state; others are checkpoint, node, stop and the like.';
COMMENT ON COLUMN cox.job_event.state IS 'The job''s state after the event.';
COMMENT ON COLUMN cox.job_event.why IS 'The reason.';
COMMENT ON COLUMN cox.job_event.actor IS 'Who caused it: user NAME, scheduler, node NAME or controller.';

-- ---- Attempts ----------------------------------------------------------------------------------

-- The attempts to run a job.
CREATE TABLE cox.attempt (
  job_id bigint NOT NULL REFERENCES cox.job,
  attempt integer NOT NULL CHECK (attempt >= 1),
  state text NOT NULL GENERATED ALWAYS AS (CASE
    WHEN ended_at IS NOT NULL THEN 'ended'
    WHEN stop_why <> 'none' THEN 'stopping'
    WHEN went_at IS NOT NULL THEN 'running'
    ELSE 'preparing' END) STORED,
  master_port integer NOT NULL,
  resume_attempt integer,
  resume_step bigint,
  stop_why cox.stop_why NOT NULL,
  stop_ask_checkpoint boolean NOT NULL,
  stop_grace_ms bigint NOT NULL,
  stop_kill_wait_ms bigint NOT NULL,
  stop_detail text NOT NULL,
  began_at timestamptz NOT NULL,
  went_at timestamptz,
  stop_asked_at timestamptz,
  ended_at timestamptz,
  outcome text NOT NULL,
  time_limit_s bigint NOT NULL DEFAULT 0,
  fills boolean NOT NULL DEFAULT false,
  -- Suspension: SIGSTOP and SIGCONT on all nodes.
  suspension bigint NOT NULL DEFAULT 0 CHECK (suspension >= 0),
  suspended boolean NOT NULL DEFAULT false,
  suspended_at timestamptz[] NOT NULL DEFAULT '{}',
  suspended_ms bigint NOT NULL DEFAULT 0 CHECK (suspended_ms >= 0),
  resumed_at timestamptz,
  partition text NOT NULL DEFAULT '',
  resume_job bigint,
  -- Progress, as the training reports it (cox progress).
  progress_step bigint NOT NULL DEFAULT 0,
  progress_total bigint NOT NULL DEFAULT 0,
  progress_at timestamptz,
  progress_first_step bigint NOT NULL DEFAULT 0,
  progress_first_at timestamptz,
  metric_name text[] NOT NULL DEFAULT '{}',
  metric_value text[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (job_id, attempt),
  CONSTRAINT attempt_resumes_from_both_or_neither
    CHECK ((resume_attempt IS NULL) = (resume_step IS NULL)),
  CONSTRAINT attempt_suspended_has_a_time
    CHECK (NOT suspended OR cardinality(suspended_at) > 0)
);
-- The invariant that matters most: two attempts of a job are never live at once.
CREATE UNIQUE INDEX attempt_live_once_per_job ON cox.attempt (job_id) WHERE ended_at IS NULL;
COMMENT ON TABLE cox.attempt IS 'All attempts to run jobs; at most one of each job is live.';
COMMENT ON COLUMN cox.attempt.job_id IS 'The job.';
COMMENT ON COLUMN cox.attempt.attempt IS 'Number of the attempt, from 1.';
COMMENT ON COLUMN cox.attempt.state IS
  'preparing, running, stopping or ended; computed from other columns.';
COMMENT ON COLUMN cox.attempt.master_port IS
  'MASTER_PORT, which the first node reserved; 0: not yet.';
COMMENT ON COLUMN cox.attempt.resume_attempt IS
  'The attempt whose checkpoint it resumes from; null: from the start.';
COMMENT ON COLUMN cox.attempt.resume_step IS 'The training step that it resumes from; null: from the start.';
COMMENT ON COLUMN cox.attempt.stop_why IS 'Why it was ordered to stop; none: it was not.';
COMMENT ON COLUMN cox.attempt.stop_ask_checkpoint IS 'Whether the ranks were asked to save first.';
COMMENT ON COLUMN cox.attempt.stop_grace_ms IS 'Milliseconds for saving, before SIGTERM.';
COMMENT ON COLUMN cox.attempt.stop_kill_wait_ms IS 'Milliseconds from SIGTERM to SIGKILL.';
COMMENT ON COLUMN cox.attempt.stop_detail IS 'Explanation of the stop.';
COMMENT ON COLUMN cox.attempt.began_at IS 'When it was placed; its nodes began to prepare.';
COMMENT ON COLUMN cox.attempt.went_at IS
  'When its ranks were started, or may have started without a report; null: never.';
COMMENT ON COLUMN cox.attempt.stop_asked_at IS 'When it was ordered to stop; null: it was not.';
COMMENT ON COLUMN cox.attempt.ended_at IS
  'When none of its processes was left on any node; null: it is live.';
COMMENT ON COLUMN cox.attempt.outcome IS 'How it ended, as text.';
COMMENT ON COLUMN cox.attempt.time_limit_s IS
  'Its time limit in seconds, if it is shorter than the job''s; 0: the job''s.';
COMMENT ON COLUMN cox.attempt.fills IS
  'It runs in the time before a reservation of other users; at its time limit it saves and is requeued.';
COMMENT ON COLUMN cox.attempt.suspension IS
  'Number of the newest order to suspend or resume; 0: none.';
COMMENT ON COLUMN cox.attempt.suspended IS 'Whether it is suspended, or ordered to be.';
COMMENT ON COLUMN cox.attempt.suspended_at IS
  'When it was ordered to suspend: the most recent times, oldest first.';
COMMENT ON COLUMN cox.attempt.suspended_ms IS
  'Milliseconds that it was suspended, up to the last resume; not part of its run time.';
COMMENT ON COLUMN cox.attempt.resumed_at IS 'When it was last resumed; null: never.';
COMMENT ON COLUMN cox.attempt.partition IS
  'The partition in which it runs, one of those that its job names; empty: an older version.';
COMMENT ON COLUMN cox.attempt.resume_job IS
  'The job whose checkpoint it resumes from; null: its own job, or from the start.';
COMMENT ON COLUMN cox.attempt.progress_step IS 'The newest training step that it reported as done.';
COMMENT ON COLUMN cox.attempt.progress_total IS 'Total number of training steps; 0: not reported.';
COMMENT ON COLUMN cox.attempt.progress_at IS 'When the newest report arrived; null: there is none.';
COMMENT ON COLUMN cox.attempt.progress_first_step IS 'The first step that it reported: the rate counts from there.';
COMMENT ON COLUMN cox.attempt.progress_first_at IS 'When that report arrived.';
COMMENT ON COLUMN cox.attempt.metric_name IS 'Names of the reported metrics, such as loss.';
COMMENT ON COLUMN cox.attempt.metric_value IS 'Their values, as reported.';

CREATE TABLE cox.attempt_node (
  job_id bigint NOT NULL,
  attempt integer NOT NULL,
  position integer NOT NULL,
  node text NOT NULL,
  phase cox.node_phase NOT NULL,
  first_rank integer NOT NULL,
  ranks integer NOT NULL,
  cpus bigint NOT NULL,
  memory_mb bigint NOT NULL,
  gpus integer[] NOT NULL,
  revision bigint NOT NULL,
  note text NOT NULL,
  gpu_milli integer NOT NULL DEFAULT 1000 CHECK (gpu_milli BETWEEN 1 AND 1000),
  suspension bigint NOT NULL DEFAULT 0 CHECK (suspension >= 0),
  -- What the ranks used, for sacct.
  user_cpu_ms bigint NOT NULL DEFAULT 0,
  system_cpu_ms bigint NOT NULL DEFAULT 0,
  max_rss_kb bigint NOT NULL DEFAULT 0,
  component integer NOT NULL DEFAULT 0,
  -- A stopping attempt releases each node as soon as none of its processes runs there.
  given_back_at timestamptz,
  PRIMARY KEY (job_id, attempt, position),
  FOREIGN KEY (job_id, attempt) REFERENCES cox.attempt ON DELETE CASCADE
);
COMMENT ON TABLE cox.attempt_node IS
  'What an attempt was granted on each of its nodes, and its phase there.';
COMMENT ON COLUMN cox.attempt_node.job_id IS 'The job.';
COMMENT ON COLUMN cox.attempt_node.attempt IS 'The attempt.';
COMMENT ON COLUMN cox.attempt_node.position IS
  'Position in the attempt''s list of nodes, from 0: SLURM_NODEID.';
COMMENT ON COLUMN cox.attempt_node.node IS 'The node.';
COMMENT ON COLUMN cox.attempt_node.phase IS 'Phase of the attempt on this node.';
COMMENT ON COLUMN cox.attempt_node.first_rank IS 'The lowest rank on this node.';
COMMENT ON COLUMN cox.attempt_node.ranks IS 'Number of ranks on this node.';
COMMENT ON COLUMN cox.attempt_node.cpus IS 'CPUs granted.';
COMMENT ON COLUMN cox.attempt_node.memory_mb IS 'Memory granted, in MiB; 0: not counted.';
COMMENT ON COLUMN cox.attempt_node.gpus IS 'GPU device indices granted.';
COMMENT ON COLUMN cox.attempt_node.revision IS 'Revision of the newest status that this node reported.';
COMMENT ON COLUMN cox.attempt_node.note IS 'Note by the node, as text.';
COMMENT ON COLUMN cox.attempt_node.gpu_milli IS 'Granted share of each of these GPUs, in thousandths.';
COMMENT ON COLUMN cox.attempt_node.suspension IS
  'Number of the newest order to suspend or resume that this node has carried out.';
COMMENT ON COLUMN cox.attempt_node.user_cpu_ms IS
  'User CPU time of its ranks that have exited there, in ms; steps are counted in cox.step.';
COMMENT ON COLUMN cox.attempt_node.system_cpu_ms IS 'System CPU time, likewise.';
COMMENT ON COLUMN cox.attempt_node.max_rss_kb IS 'The most memory that one of these ranks held, in KiB.';
COMMENT ON COLUMN cox.attempt_node.component IS
  'The component of a heterogeneous job that has the node; 0: the first, or another kind of job.';
COMMENT ON COLUMN cox.attempt_node.given_back_at IS
  'When the node was released before the end of the attempt; null: with the end.';

CREATE TABLE cox.rank (
  job_id bigint NOT NULL,
  attempt integer NOT NULL,
  rank integer NOT NULL,
  phase cox.rank_phase NOT NULL,
  exit_code integer NOT NULL,
  exit_signal integer NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  saved_step bigint[] NOT NULL,
  saved_bytes bigint[] NOT NULL,
  saved_files bigint[] NOT NULL,
  saved_after_stop boolean[] NOT NULL,
  -- Attempts of a job append to the same files.
  output_from bigint,
  error_from bigint,
  PRIMARY KEY (job_id, attempt, rank),
  FOREIGN KEY (job_id, attempt) REFERENCES cox.attempt ON DELETE CASCADE,
  CONSTRAINT rank_saved_columns_are_parallel CHECK (
    cardinality(saved_step) = cardinality(saved_bytes)
    AND cardinality(saved_step) = cardinality(saved_files)
    AND cardinality(saved_step) = cardinality(saved_after_stop))
);
COMMENT ON TABLE cox.rank IS 'The ranks of each attempt that run user code: exits and saved steps.';
COMMENT ON COLUMN cox.rank.job_id IS 'The job.';
COMMENT ON COLUMN cox.rank.attempt IS 'The attempt.';
COMMENT ON COLUMN cox.rank.rank IS 'The rank, from 0: SLURM_PROCID, RANK.';
COMMENT ON COLUMN cox.rank.phase IS 'waiting, running or exited.';
COMMENT ON COLUMN cox.rank.exit_code IS 'Its exit code, once it has exited.';
COMMENT ON COLUMN cox.rank.exit_signal IS 'The signal that ended it; 0: it exited by itself.';
COMMENT ON COLUMN cox.rank.started_at IS 'When its process started; null: not yet.';
COMMENT ON COLUMN cox.rank.ended_at IS 'When its process ended; null: not yet.';
COMMENT ON COLUMN cox.rank.saved_step IS 'Training steps that it saved, the newest last.';
COMMENT ON COLUMN cox.rank.saved_bytes IS 'Bytes of each of those steps.';
COMMENT ON COLUMN cox.rank.saved_files IS 'Files of each of those steps.';
COMMENT ON COLUMN cox.rank.saved_after_stop IS
  'Whether each was saved after the order to stop.';
COMMENT ON COLUMN cox.rank.output_from IS
  'Offset in its output file at which this attempt begins, in bytes; null: not prepared yet.';
COMMENT ON COLUMN cox.rank.error_from IS
  'Offset in its error file at which this attempt begins, in bytes; null: not prepared yet.';

-- The tasks that srun starts inside an allocation.
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
  -- Where the step runs.
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
  component integer NOT NULL DEFAULT 0,
  -- What the tasks used, for sacct.
  exited_tasks bigint NOT NULL DEFAULT 0,
  rss_kb bigint NOT NULL DEFAULT 0,
  read_bytes bigint NOT NULL DEFAULT 0,
  written_bytes bigint NOT NULL DEFAULT 0,
  most_rss_kb bigint NOT NULL DEFAULT 0,
  most_rss_task integer NOT NULL DEFAULT -1,
  most_read_bytes bigint NOT NULL DEFAULT 0,
  most_read_task integer NOT NULL DEFAULT -1,
  most_written_bytes bigint NOT NULL DEFAULT 0,
  most_written_task integer NOT NULL DEFAULT -1,
  least_cpu_ms bigint NOT NULL DEFAULT 0,
  least_cpu_task integer NOT NULL DEFAULT -1,
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
COMMENT ON TABLE cox.step IS 'All job steps, which srun starts in attempts.';
COMMENT ON COLUMN cox.step.job_id IS 'The job.';
COMMENT ON COLUMN cox.step.attempt IS 'The attempt whose allocation it is part of.';
COMMENT ON COLUMN cox.step.number IS 'Number of the step in the attempt, from 0.';
COMMENT ON COLUMN cox.step.state IS
  'PENDING: it waits for resources of the allocation; RUNNING; then how it ended.';
COMMENT ON COLUMN cox.step.name IS 'The program that srun was given.';
COMMENT ON COLUMN cox.step.request_id IS
  'The client''s id of the request: a retry with the same id returns the same step.';
COMMENT ON COLUMN cox.step.nodes_min IS 'The fewest nodes asked for; 0: as many as its tasks need.';
COMMENT ON COLUMN cox.step.nodes_max IS 'The most nodes asked for; 0: likewise.';
COMMENT ON COLUMN cox.step.tasks_asked IS 'Tasks asked for; 0: one on each node.';
COMMENT ON COLUMN cox.step.tasks_per_node IS 'Tasks on each node; 0: not asked.';
COMMENT ON COLUMN cox.step.cpus_per_task IS 'CPUs for each task; 0: not asked.';
COMMENT ON COLUMN cox.step.nodelist IS
  'Exactly these nodes. For distribution arbitrary: the node of each task, in order.';
COMMENT ON COLUMN cox.step.exclude IS 'Nodes that it must not use.';
COMMENT ON COLUMN cox.step.relative IS 'First node of the allocation that it may use, from 0, --relative; -1: not asked.';
COMMENT ON COLUMN cox.step.exact IS 'On each node it gets only what its tasks ask for, --exact.';
COMMENT ON COLUMN cox.step.overlap IS 'It may share resources with other steps, --overlap.';
COMMENT ON COLUMN cox.step.memory_mb_per_node IS
  'Memory on each node, in MiB; 0: all of it, shared.';
COMMENT ON COLUMN cox.step.gpus_per_node IS 'GPUs on each node; -1: not asked.';
COMMENT ON COLUMN cox.step.gpus_per_task IS 'GPUs for each task; -1: not asked.';
COMMENT ON COLUMN cox.step.gpus IS 'GPUs on all nodes together; -1: not asked.';
COMMENT ON COLUMN cox.step.distribution IS 'How its tasks are distributed over its nodes.';
COMMENT ON COLUMN cox.step.plane IS 'For distribution plane: tasks in each block.';
COMMENT ON COLUMN cox.step.time_limit_s IS 'Its own time limit in seconds; 0: the job''s.';
COMMENT ON COLUMN cox.step.immediate IS 'It fails instead of waiting for resources, --immediate.';
COMMENT ON COLUMN cox.step.overcommit IS 'Tasks are not limited by the number of CPUs, --overcommit.';
COMMENT ON COLUMN cox.step.memory_mb_per_cpu IS
  'Memory for each CPU, in MiB, instead of memory on each node; 0: not asked.';
COMMENT ON COLUMN cox.step.node_list IS
  'Its nodes, in the order of the job''s; empty while it waits.';
COMMENT ON COLUMN cox.step.node_tasks IS 'Number of its tasks on each of these nodes.';
COMMENT ON COLUMN cox.step.node_cpus IS 'Its CPUs on each of them.';
COMMENT ON COLUMN cox.step.node_memory_mb IS
  'Its memory on each of them, in MiB; 0: not counted.';
COMMENT ON COLUMN cox.step.node_gpus IS 'Device indices of its GPUs on each of them, such as 0,1.';
COMMENT ON COLUMN cox.step.node_phase IS 'Its phase on each of them.';
COMMENT ON COLUMN cox.step.tasks IS 'Number of all its tasks; 0 while it waits.';
COMMENT ON COLUMN cox.step.created_at IS 'When it was requested.';
COMMENT ON COLUMN cox.step.started_at IS 'When it got its resources; null: not yet.';
COMMENT ON COLUMN cox.step.ended_at IS 'When none of its processes was left; null: it has not ended.';
COMMENT ON COLUMN cox.step.exit_code IS 'The highest exit code of its tasks.';
COMMENT ON COLUMN cox.step.exit_signal IS 'A signal that ended one of its tasks; 0: none.';
COMMENT ON COLUMN cox.step.stopping IS 'It was ordered to end.';
COMMENT ON COLUMN cox.step.timed_out IS 'It reached its own time limit.';
COMMENT ON COLUMN cox.step.out_of_memory IS
  'The kernel''s OOM killer ended one of its tasks.';
COMMENT ON COLUMN cox.step.user_cpu_ms IS 'User CPU time of its tasks, in ms.';
COMMENT ON COLUMN cox.step.system_cpu_ms IS 'System CPU time of its tasks, in ms.';
COMMENT ON COLUMN cox.step.max_rss_kb IS 'The most memory that one of its tasks held, in KiB.';
COMMENT ON COLUMN cox.step.why IS 'The reason of its end.';
COMMENT ON COLUMN cox.step.component IS
  'For a heterogeneous job, the component on whose nodes it runs (srun --het-group); -1: all.';
COMMENT ON COLUMN cox.step.exited_tasks IS
  'Number of tasks that have exited. Sums and extremes count only these.';
COMMENT ON COLUMN cox.step.rss_kb IS
  'Sum of the most memory that each of its tasks held, in KiB.';
COMMENT ON COLUMN cox.step.read_bytes IS
  'Bytes that its tasks read, also through the page cache.';
COMMENT ON COLUMN cox.step.written_bytes IS
  'Bytes that its tasks wrote, also through the page cache.';
COMMENT ON COLUMN cox.step.most_rss_kb IS 'The most memory that one task held, in KiB.';
COMMENT ON COLUMN cox.step.most_rss_task IS 'The rank of this task; -1: no task has exited.';
COMMENT ON COLUMN cox.step.most_read_bytes IS 'The most bytes that one task read.';
COMMENT ON COLUMN cox.step.most_read_task IS 'The rank of this task; -1: no task has exited.';
COMMENT ON COLUMN cox.step.most_written_bytes IS 'The most bytes that one task wrote.';
COMMENT ON COLUMN cox.step.most_written_task IS 'The rank of this task; -1: no task has exited.';
COMMENT ON COLUMN cox.step.least_cpu_ms IS 'The least CPU time that one task took, in ms.';
COMMENT ON COLUMN cox.step.least_cpu_task IS 'The rank of this task; -1: no task has exited.';

CREATE TABLE cox.checkpoint (
  job_id bigint NOT NULL,
  attempt integer NOT NULL,
  step bigint NOT NULL,
  bytes bigint NOT NULL,
  files bigint NOT NULL,
  committed_at timestamptz NOT NULL,
  damaged boolean NOT NULL,
  pruned boolean NOT NULL,
  removed_at timestamptz,
  PRIMARY KEY (job_id, attempt, step),
  FOREIGN KEY (job_id, attempt) REFERENCES cox.attempt ON DELETE CASCADE
);
CREATE INDEX checkpoint_with_files ON cox.checkpoint (job_id) WHERE removed_at IS NULL;
COMMENT ON INDEX cox.checkpoint_with_files IS 'Checkpoints whose files are not removed.';
COMMENT ON TABLE cox.checkpoint IS
  'Committed checkpoints of whole gangs, from which a job can resume.';
COMMENT ON COLUMN cox.checkpoint.job_id IS 'The job.';
COMMENT ON COLUMN cox.checkpoint.attempt IS 'The attempt that saved it.';
COMMENT ON COLUMN cox.checkpoint.step IS 'The training step, which every rank has saved.';
COMMENT ON COLUMN cox.checkpoint.bytes IS 'Bytes of all ranks together.';
COMMENT ON COLUMN cox.checkpoint.files IS 'Files of all ranks together.';
COMMENT ON COLUMN cox.checkpoint.committed_at IS
  'When it was committed, after the last rank had reported it.';
COMMENT ON COLUMN cox.checkpoint.damaged IS 'It did not verify; jobs no longer resume from it.';
COMMENT ON COLUMN cox.checkpoint.pruned IS 'Its files are removed, or will be.';
COMMENT ON COLUMN cox.checkpoint.removed_at IS
  'When a worker confirmed that its files are gone; null: it has not.';

-- ---- Nodes and partitions ----------------------------------------------------------------------

-- Nodes, with the GPUs that they reported and the states that operators set.
CREATE TABLE cox.node (
  name text PRIMARY KEY,
  state text NOT NULL GENERATED ALWAYS AS (CASE
    WHEN NOT responding THEN 'DOWN' WHEN drained THEN 'DRAIN' ELSE 'UP' END) STORED,
  drained boolean NOT NULL,
  responding boolean NOT NULL,
  reason text NOT NULL,
  cpus bigint NOT NULL,
  memory_mb bigint NOT NULL,
  features text[] NOT NULL,
  gpu_index integer[] NOT NULL,
  gpu_type text[] NOT NULL,
  gpu_uuid text[] NOT NULL,
  address text NOT NULL,
  log_endpoint text NOT NULL,
  log_key text NOT NULL,
  boot_id text NOT NULL,
  version text NOT NULL,
  changed_at timestamptz,
  gres text NOT NULL DEFAULT '',
  gpu_island integer[] NOT NULL DEFAULT '{}',
  weight bigint NOT NULL DEFAULT 1 CHECK (weight >= 0),
  -- Health: what drained the node, when it came back, which jobs failed there.
  drained_by cox.drained_by NOT NULL DEFAULT 'nobody',
  returned_at timestamptz[] NOT NULL DEFAULT '{}',
  failure_jobs bigint[] NOT NULL DEFAULT '{}',
  failure_at timestamptz[] NOT NULL DEFAULT '{}',
  set_down boolean NOT NULL DEFAULT false,
  reason_by text NOT NULL DEFAULT '',
  CONSTRAINT node_gpu_columns_are_parallel CHECK (
    cardinality(gpu_index) = cardinality(gpu_type)
    AND cardinality(gpu_index) = cardinality(gpu_uuid)),
  CONSTRAINT node_gpu_islands_are_parallel CHECK (
    cardinality(gpu_island) IN (0, cardinality(gpu_index))),
  CONSTRAINT node_drained_by CHECK (drained = (drained_by <> 'nobody')),
  CONSTRAINT node_failures CHECK (cardinality(failure_jobs) = cardinality(failure_at)),
  CONSTRAINT node_set_down CHECK (drained OR NOT set_down)
);
COMMENT ON TABLE cox.node IS 'The nodes of the cluster, as their workers last described them.';
COMMENT ON COLUMN cox.node.name IS 'The node''s name.';
COMMENT ON COLUMN cox.node.state IS
  'UP, DRAIN or DOWN (not responding); computed from other columns.';
COMMENT ON COLUMN cox.node.drained IS 'It gets no new jobs until cox resume NODE.';
COMMENT ON COLUMN cox.node.responding IS
  'It sent heartbeats within node_timeout, and enough of them since it was last silent.';
COMMENT ON COLUMN cox.node.reason IS 'Why it is drained or not responding.';
COMMENT ON COLUMN cox.node.cpus IS 'Number of CPUs.';
COMMENT ON COLUMN cox.node.memory_mb IS 'Memory in MiB.';
COMMENT ON COLUMN cox.node.features IS 'Features that --constraint can name.';
COMMENT ON COLUMN cox.node.gpu_index IS 'Device indices of its GPUs.';
COMMENT ON COLUMN cox.node.gpu_type IS 'Types of its GPUs, in the same order.';
COMMENT ON COLUMN cox.node.gpu_uuid IS 'UUIDs of its GPUs, in the same order.';
COMMENT ON COLUMN cox.node.address IS 'Numeric address of its ranks.';
COMMENT ON COLUMN cox.node.log_endpoint IS 'Endpoint of its worker for cox logs.';
COMMENT ON COLUMN cox.node.log_key IS 'CURVE public key of that endpoint.';
COMMENT ON COLUMN cox.node.boot_id IS 'The machine''s boot id, new with each boot.';
COMMENT ON COLUMN cox.node.version IS 'Version of its worker.';
COMMENT ON COLUMN cox.node.changed_at IS 'When this row last changed.';
COMMENT ON COLUMN cox.node.gres IS 'Its GRES other than GPUs: fpga:u280:2,nic:1.';
COMMENT ON COLUMN cox.node.gpu_island IS
  'Islands of its GPUs, in the same order: GPUs of the same island are linked; 0: unknown.';
COMMENT ON COLUMN cox.node.weight IS
  'Among suitable nodes, jobs get those with the lowest weight first.';
COMMENT ON COLUMN cox.node.drained_by IS
  'What drained it. health_check: its worker did, until the check passes again. failures, kill_task, '
  'prolog_epilog: the controller did, until an operator resumes it. nobody: it is not drained.';
COMMENT ON COLUMN cox.node.returned_at IS
  'When it recently responded again, the oldest first. The more often, the more heartbeats it must send '
  'the next time before it counts as responding.';
COMMENT ON COLUMN cox.node.failure_jobs IS
  'Jobs with recent attempts that failed through the fault of the node, each once; for array tasks, the '
  'id of the array. 0: the node itself was lost.';
COMMENT ON COLUMN cox.node.failure_at IS 'Times of these failures, in the same order.';
COMMENT ON COLUMN cox.node.set_down IS
  'An operator set it DOWN, and its jobs were ended or requeued: scontrol update NodeName=NODE '
  'State=RESUME.';
COMMENT ON COLUMN cox.node.reason_by IS
  'Who drained it or set it DOWN, as in cox.node_event.actor; empty: it is not drained.';

-- The history of nodes. Events older than a year are deleted as new events of the node come
-- (sql/queries/turn/node_event_insert.sql).
CREATE TABLE cox.node_event (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  node text NOT NULL REFERENCES cox.node (name),
  at timestamptz NOT NULL,
  what text NOT NULL,
  why text NOT NULL,
  actor text NOT NULL
);
CREATE INDEX node_event_of_a_node ON cox.node_event (node, sequence);
COMMENT ON TABLE cox.node_event IS
  'The history of nodes, append-only. Events older than a year are deleted as new events are added.';
COMMENT ON COLUMN cox.node_event.sequence IS 'Order of the events.';
COMMENT ON COLUMN cox.node_event.node IS 'The node.';
COMMENT ON COLUMN cox.node_event.at IS 'Time of the event.';
COMMENT ON COLUMN cox.node_event.what IS
  'Kind: not responding, returned, drained, down, resumed, failure, forgiven, fence, fenced.';
COMMENT ON COLUMN cox.node_event.why IS 'The reason.';
COMMENT ON COLUMN cox.node_event.actor IS 'Who caused or reported it.';

-- Changes of partitions by administrators while the cluster runs; the settings file has the rest.
CREATE TABLE cox.partition (
  name text PRIMARY KEY CHECK (name <> ''),
  state cox.partition_state NOT NULL,
  reason text NOT NULL DEFAULT '',
  changed_at timestamptz NOT NULL,
  made_with text[] NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE cox.partition IS
  'Partitions that were created while the cluster runs, and configured partitions whose state was '
  'changed; other partitions are UP.';
COMMENT ON COLUMN cox.partition.name IS 'The partition.';
COMMENT ON COLUMN cox.partition.state IS 'Whether it accepts jobs and starts them.';
COMMENT ON COLUMN cox.partition.reason IS 'Why it is in that state.';
COMMENT ON COLUMN cox.partition.changed_at IS 'When that was last changed.';
COMMENT ON COLUMN cox.partition.made_with IS
  'Settings of a partition that was created while the cluster runs, by Slurm''s names, such as '
  'Nodes=n[1-2]. Empty: a configured partition. If both have the same name, the configuration wins.';

-- Advance reservations: nodes that are reserved for some users, accounts or QOSes for a time.
CREATE TABLE cox.reservation (
  name text PRIMARY KEY CHECK (name <> ''),
  begin_at timestamptz NOT NULL,
  end_at timestamptz NOT NULL CHECK (end_at > begin_at),
  recurrence cox.recurrence NOT NULL,
  nodes text[] NOT NULL,
  nodes_asked text NOT NULL,
  node_count bigint NOT NULL CHECK (node_count >= 0),
  features text NOT NULL,
  tres text NOT NULL CHECK (cox.is_tres(tres)),
  partition text NOT NULL,
  users text[] NOT NULL,
  accounts text[] NOT NULL,
  qos text[] NOT NULL,
  -- Flags.
  maint boolean NOT NULL,
  magnetic boolean NOT NULL,
  flex boolean NOT NULL,
  overlap boolean NOT NULL,
  ignore_jobs boolean NOT NULL,
  changed_at timestamptz NOT NULL,
  changed_by text NOT NULL,
  -- Later flags.
  static_alloc boolean NOT NULL DEFAULT false,
  replace_down boolean NOT NULL DEFAULT false,
  purge_idle_s bigint NOT NULL DEFAULT 0 CHECK (purge_idle_s >= 0)
);
COMMENT ON TABLE cox.reservation IS
  'Present and future advance reservations. `cox reserve` creates and changes them.';
COMMENT ON COLUMN cox.reservation.name IS 'The name for --reservation.';
COMMENT ON COLUMN cox.reservation.begin_at IS
  'Begin of the present or next occurrence.';
COMMENT ON COLUMN cox.reservation.end_at IS 'End of that occurrence.';
COMMENT ON COLUMN cox.reservation.recurrence IS 'How it recurs.';
COMMENT ON COLUMN cox.reservation.nodes IS
  'Its nodes. If they were asked for by number, unusable ones are replaced.';
COMMENT ON COLUMN cox.reservation.nodes_asked IS
  'Nodes that were asked for by name, or ALL; empty: none.';
COMMENT ON COLUMN cox.reservation.node_count IS
  'Number of nodes that were asked for; 0: not asked.';
COMMENT ON COLUMN cox.reservation.features IS 'Features that each node had to have.';
COMMENT ON COLUMN cox.reservation.tres IS 'TRES that the nodes had to have together: gres/gpu=8.';
COMMENT ON COLUMN cox.reservation.partition IS 'The partition from which the nodes were chosen; empty: any.';
COMMENT ON COLUMN cox.reservation.users IS
  'Users who may use it; after a -: users who may not; empty: any user.';
COMMENT ON COLUMN cox.reservation.accounts IS 'Accounts whose jobs may use it, likewise.';
COMMENT ON COLUMN cox.reservation.qos IS 'QOSes whose jobs may use it, likewise.';
COMMENT ON COLUMN cox.reservation.maint IS 'It is for maintenance, and may overlap other reservations (MAINT).';
COMMENT ON COLUMN cox.reservation.magnetic IS 'Jobs that may use it run in it without naming it (MAGNETIC).';
COMMENT ON COLUMN cox.reservation.flex IS
  'Its jobs may also run before and after it, and on other nodes (FLEX).';
COMMENT ON COLUMN cox.reservation.overlap IS 'It may overlap other reservations (OVERLAP).';
COMMENT ON COLUMN cox.reservation.ignore_jobs IS 'It may be created while jobs run into its time (IGNORE_JOBS).';
COMMENT ON COLUMN cox.reservation.changed_at IS 'When it was created or last changed.';
COMMENT ON COLUMN cox.reservation.changed_by IS 'The user who did that.';
COMMENT ON COLUMN cox.reservation.static_alloc IS
  'Nodes that become unusable are not replaced (STATIC_ALLOC).';
COMMENT ON COLUMN cox.reservation.replace_down IS
  'The flag REPLACE_DOWN was given; nodes are replaced with or without it.';
COMMENT ON COLUMN cox.reservation.purge_idle_s IS
  'Seconds without jobs after which an occurrence ends (PURGE_COMP); 0: never.';

CREATE TABLE cox.reservation_event (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  reservation text NOT NULL,
  at timestamptz NOT NULL,
  what text NOT NULL,
  actor text NOT NULL
);
COMMENT ON TABLE cox.reservation_event IS 'The history of advance reservations, append-only.';
COMMENT ON COLUMN cox.reservation_event.sequence IS 'Order of the events.';
COMMENT ON COLUMN cox.reservation_event.reservation IS 'The reservation''s name.';
COMMENT ON COLUMN cox.reservation_event.at IS 'Time of the event.';
COMMENT ON COLUMN cox.reservation_event.what IS
  'Kind: created, updated, moved on (to its next occurrence), deleted, over.';
COMMENT ON COLUMN cox.reservation_event.actor IS 'Who caused it.';

-- ---- QOSes and accounts ------------------------------------------------------------------------

-- QOSes. The controller reads this table again every two seconds, so a change by SQL takes effect
-- without a restart. It stops no running job. The bounds prevent overflows in the controller.
CREATE TABLE cox.qos (
  name text PRIMARY KEY,
  tier integer NOT NULL,
  grace_ms bigint NOT NULL DEFAULT 60000 CHECK (grace_ms >= 0),
  preempt_mode cox.preempt_mode NOT NULL DEFAULT 'checkpoint',
  preempt_weight bigint CHECK (preempt_weight BETWEEN 1 AND 1000),
  preempt_exempt_time_s bigint
    CHECK (preempt_exempt_time_s BETWEEN 0 AND 365 * 24 * 3600),
  -- Limits, by Slurm's names.
  grp_tres text NOT NULL DEFAULT '' CHECK (cox.is_tres(grp_tres)),
  grp_jobs bigint CHECK (grp_jobs >= 0),
  grp_submit_jobs bigint CHECK (grp_submit_jobs >= 0),
  max_tres_per_user text NOT NULL DEFAULT '' CHECK (cox.is_tres(max_tres_per_user)),
  max_jobs_per_user bigint CHECK (max_jobs_per_user >= 0),
  max_submit_jobs_per_user bigint CHECK (max_submit_jobs_per_user >= 0),
  max_tres_per_job text NOT NULL DEFAULT '' CHECK (cox.is_tres(max_tres_per_job)),
  min_tres_per_job text NOT NULL DEFAULT '' CHECK (cox.is_tres(min_tres_per_job)),
  max_wall_s bigint CHECK (max_wall_s BETWEEN 1 AND 366 * 24 * 3600),
  grp_tres_mins text NOT NULL DEFAULT '' CHECK (cox.is_tres(grp_tres_mins)),
  grp_wall_s bigint CHECK (grp_wall_s BETWEEN 0 AND 60000000000),
  kept_tres text NOT NULL DEFAULT '' CHECK (cox.is_tres(kept_tres)),
  CONSTRAINT qos_tier_bounds CHECK (tier BETWEEN -1000000 AND 1000000),
  CONSTRAINT qos_grace_bounds CHECK (grace_ms <= 31622400000)
);
COMMENT ON TABLE cox.qos IS 'The QOSes (qualities of service) of jobs.';
COMMENT ON COLUMN cox.qos.name IS 'The name for --qos.';
COMMENT ON COLUMN cox.qos.tier IS 'Jobs of a higher tier go first and may preempt jobs of a lower one.';
COMMENT ON COLUMN cox.qos.grace_ms IS
  'Milliseconds. Preempt modes checkpoint, suspend, off: for saving, before SIGTERM. Modes requeue, cancel: '
  'from SIGTERM to SIGKILL; 0: the setting kill_wait. Slurm''s GraceTime.';
COMMENT ON COLUMN cox.qos.preempt_mode IS
  'What preemption does to its jobs. checkpoint: they are asked to save, then requeued; requeue: stopped '
  'without saving and requeued; cancel: stopped, and they end PREEMPTED; suspend: suspended, and resumed '
  'when their CPUs are free again; off: never preempted.';
COMMENT ON COLUMN cox.qos.preempt_weight IS
  'Weight of the work that its jobs lose by preemption, 1 to 1000; null: the tier plus one.';
COMMENT ON COLUMN cox.qos.preempt_exempt_time_s IS
  'Seconds that an attempt runs at least before it is preempted; null: preempt_exempt_time.';
COMMENT ON COLUMN cox.qos.grp_tres IS
  'Limit on what all its running jobs hold together: cpu=64,gres/gpu=8. Empty: none.';
COMMENT ON COLUMN cox.qos.grp_jobs IS 'Limit on its running jobs; null: none.';
COMMENT ON COLUMN cox.qos.grp_submit_jobs IS
  'Limit on its pending and running jobs; more are refused; null: none.';
COMMENT ON COLUMN cox.qos.max_tres_per_user IS 'Like grp_tres, for the jobs of each user.';
COMMENT ON COLUMN cox.qos.max_jobs_per_user IS 'Like grp_jobs, for each user.';
COMMENT ON COLUMN cox.qos.max_submit_jobs_per_user IS 'Like grp_submit_jobs, for each user.';
COMMENT ON COLUMN cox.qos.max_tres_per_job IS 'The most that a job may ask for; more is refused.';
COMMENT ON COLUMN cox.qos.min_tres_per_job IS 'The least that a job must ask for; less is refused.';
COMMENT ON COLUMN cox.qos.max_wall_s IS
  'The longest time limit in seconds; also the time limit of jobs without --time; null: none.';
COMMENT ON COLUMN cox.qos.grp_tres_mins IS
  'Limit on the usage of all its jobs, in minutes of each resource; older usage decays.';
COMMENT ON COLUMN cox.qos.grp_wall_s IS
  'Limit on the run time of all its jobs, in seconds, which decays likewise; null: none.';
COMMENT ON COLUMN cox.qos.kept_tres IS 'Resources that jobs of lower tiers must leave free.';

INSERT INTO cox.qos (name, tier, preempt_mode, grace_ms) VALUES
  ('critical', 3, 'off', 60000),
  ('standard', 2, 'checkpoint', 60000),
  ('besteffort', 1, 'requeue', 0);

CREATE TABLE cox.qos_used (
  qos text PRIMARY KEY REFERENCES cox.qos (name) ON DELETE CASCADE,
  usage_tres text[] NOT NULL,
  usage_seconds double precision[] NOT NULL,
  usage_at timestamptz NOT NULL,
  CONSTRAINT qos_used_is_parallel CHECK (cardinality(usage_tres) = cardinality(usage_seconds))
);
COMMENT ON TABLE cox.qos_used IS 'Usage of the ended jobs of each QOS.';
COMMENT ON COLUMN cox.qos_used.qos IS 'The QOS.';
COMMENT ON COLUMN cox.qos_used.usage_tres IS 'The resources. Usage has decayed by the half-life since usage_at.';
COMMENT ON COLUMN cox.qos_used.usage_seconds IS 'Usage of each in seconds, in the same order.';
COMMENT ON COLUMN cox.qos_used.usage_at IS 'The time of these values.';

-- Accounts and their users, with their shares, limits and quotas.
CREATE TABLE cox.association (
  id bigint PRIMARY KEY CHECK (id > 0),
  account text NOT NULL CHECK (account <> ''),
  user_name text NOT NULL DEFAULT '',
  partition text NOT NULL DEFAULT '',
  parent text NOT NULL DEFAULT '',
  shares bigint NOT NULL DEFAULT 1 CHECK (shares >= 0),
  shares_of_parent boolean NOT NULL DEFAULT false,
  is_default boolean NOT NULL DEFAULT false,
  qos text[] NOT NULL DEFAULT '{}',
  default_qos text NOT NULL DEFAULT '',
  description text NOT NULL DEFAULT '',
  organization text NOT NULL DEFAULT '',
  -- Limits, by Slurm's names.
  grp_tres text NOT NULL DEFAULT '' CHECK (cox.is_tres_by_hours(grp_tres)),
  grp_jobs bigint CHECK (grp_jobs >= 0),
  grp_submit_jobs bigint CHECK (grp_submit_jobs >= 0),
  grp_tres_mins text NOT NULL DEFAULT '' CHECK (cox.is_tres(grp_tres_mins)),
  grp_wall_s bigint CHECK (grp_wall_s >= 0),
  max_tres_per_job text NOT NULL DEFAULT '' CHECK (cox.is_tres(max_tres_per_job)),
  max_tres_mins_per_job text NOT NULL DEFAULT '' CHECK (cox.is_tres(max_tres_mins_per_job)),
  max_jobs bigint CHECK (max_jobs >= 0),
  max_submit_jobs bigint CHECK (max_submit_jobs >= 0),
  max_wall_s bigint CHECK (max_wall_s BETWEEN 1 AND 366 * 24 * 3600),
  -- Usage.
  usage_tres text[] NOT NULL DEFAULT '{}',
  usage_seconds double precision[] NOT NULL DEFAULT '{}',
  usage_at timestamptz,
  -- Quotas.
  guarantee text NOT NULL DEFAULT '' CHECK (cox.is_tres_by_hours(guarantee)),
  deserved text NOT NULL DEFAULT '' CHECK (cox.is_tres_by_hours(deserved)),
  coordinators text[] NOT NULL DEFAULT '{}',
  UNIQUE (account, user_name, partition),
  CONSTRAINT association_usage_is_parallel
    CHECK (cardinality(usage_tres) = cardinality(usage_seconds)),
  CONSTRAINT association_is_one_of_both CHECK (
    CASE WHEN user_name = '' THEN partition = '' AND NOT is_default AND (parent = '') = (account = 'root')
    ELSE parent = '' END),
  CONSTRAINT association_grp_wall_has_a_limit CHECK (grp_wall_s <= 60000000000),
  CONSTRAINT association_quotas_are_of_accounts
    CHECK (user_name = '' OR (guarantee = '' AND deserved = ''))
);
COMMENT ON TABLE cox.association IS
  'The tree of accounts and their users, which jobs are charged to. To change it, use CALL '
  'cox.sacctmgr(...) or the command sacctmgr; the controller ignores changes by hand.';
COMMENT ON COLUMN cox.association.id IS 'Its number.';
COMMENT ON COLUMN cox.association.account IS 'The account.';
COMMENT ON COLUMN cox.association.user_name IS 'A user of the account; empty: the account itself.';
COMMENT ON COLUMN cox.association.partition IS
  'For users: the row is only for jobs in this partition; empty: in any.';
COMMENT ON COLUMN cox.association.parent IS 'The parent account; empty: root, or a user.';
COMMENT ON COLUMN cox.association.shares IS 'Fairshare, relative to its siblings.';
COMMENT ON COLUMN cox.association.shares_of_parent IS
  'Fairshare=parent: it has the fairshare factor of its parent.';
COMMENT ON COLUMN cox.association.is_default IS
  'For users: jobs without --account are charged to this account.';
COMMENT ON COLUMN cox.association.qos IS 'The QOSes that its jobs may have; empty: those of the parent.';
COMMENT ON COLUMN cox.association.default_qos IS
  'The QOS of jobs without --qos; empty: that of the parent.';
COMMENT ON COLUMN cox.association.description IS 'Description, as free text.';
COMMENT ON COLUMN cox.association.organization IS 'Organisation, as free text.';
COMMENT ON COLUMN cox.association.grp_tres IS
  'Limit on what running jobs of this association and of all below it hold together.';
COMMENT ON COLUMN cox.association.grp_jobs IS 'Limit on these running jobs; null: none.';
COMMENT ON COLUMN cox.association.grp_submit_jobs IS
  'Limit on these pending and running jobs; more are refused; null: none.';
COMMENT ON COLUMN cox.association.grp_tres_mins IS
  'Limit on the usage of these jobs, in minutes of each resource; older usage decays.';
COMMENT ON COLUMN cox.association.grp_wall_s IS
  'Limit on the run time of these jobs, in seconds, which decays likewise; null: none.';
COMMENT ON COLUMN cox.association.max_tres_per_job IS
  'The most that a job may ask for; empty: as for the parent.';
COMMENT ON COLUMN cox.association.max_tres_mins_per_job IS
  'Limit on what a job asks for, multiplied by its time limit in minutes.';
COMMENT ON COLUMN cox.association.max_jobs IS
  'Limit on the running jobs of one user; null: as for the parent.';
COMMENT ON COLUMN cox.association.max_submit_jobs IS
  'Limit on the pending and running jobs of one user; null: as for the parent.';
COMMENT ON COLUMN cox.association.max_wall_s IS
  'The longest time limit in seconds; null: as for the parent.';
COMMENT ON COLUMN cox.association.usage_tres IS
  'Resources that its ended attempts used. Usage has decayed by the half-life since usage_at.';
COMMENT ON COLUMN cox.association.usage_seconds IS 'Usage of each in seconds, in the same order.';
COMMENT ON COLUMN cox.association.usage_at IS 'The time of these values; null: nothing was used.';
COMMENT ON COLUMN cox.association.guarantee IS
  'For accounts: the guaranteed quota. Jobs that borrow it are preempted within their grace time.';
COMMENT ON COLUMN cox.association.deserved IS
  'For accounts: the deserved quota. Other accounts may borrow what its jobs do not ask for.';
COMMENT ON COLUMN cox.association.coordinators IS
  'Users who may add users and accounts to this account and those below it, and stop and hold its jobs.';

INSERT INTO cox.association (id, account) VALUES (1, 'root');

-- Requests by SQL (CALL cox.sacctmgr) and their answers.
CREATE TABLE cox.request (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  asked_at timestamptz NOT NULL DEFAULT now(),
  asked_by text NOT NULL DEFAULT session_user,
  command text NOT NULL CHECK (length(command) BETWEEN 1 AND 131072),
  answered_at timestamptz,
  refused boolean,
  lines text[] NOT NULL DEFAULT '{}'
);
CREATE INDEX request_unanswered ON cox.request (id) WHERE answered_at IS NULL;
COMMENT ON TABLE cox.request IS
  'Requests by CALL cox.sacctmgr(...) or by the command sacctmgr, and their answers. The controller answers '
  'a request within a second.';
COMMENT ON COLUMN cox.request.id IS 'Its number.';
COMMENT ON COLUMN cox.request.asked_at IS 'When it was made.';
COMMENT ON COLUMN cox.request.asked_by IS 'Who made it: a role of the database, or a user.';
COMMENT ON COLUMN cox.request.command IS
  'The command as for sacctmgr, one per line. All lines are carried out, or none.';
COMMENT ON COLUMN cox.request.answered_at IS 'When it was answered; null: not yet.';
COMMENT ON COLUMN cox.request.refused IS 'Whether it was refused; null: not answered yet.';
COMMENT ON COLUMN cox.request.lines IS 'The answer: what was done, or why it was refused.';

-- ---- Crontabs and event triggers ---------------------------------------------------------------

-- Crontabs (scrontab): the text of each user, and the current job of each line.
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
  'The user''s text. Lines that scancel --cron has ended begin with #DISABLED: .';
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
  'The current job of the line, pending or running. When it ends, the next job is added in the same '
  'transaction.';

-- Event triggers (strigger): programs that the controller runs when an event happens.
CREATE TABLE cox.event_trigger (
  id bigint PRIMARY KEY CHECK (id > 0),
  event cox.trigger_event NOT NULL,
  job_id bigint NOT NULL CHECK (job_id >= 0),
  nodes text[] NOT NULL,
  offset_s bigint NOT NULL,
  program text NOT NULL CHECK (program LIKE '/%'),
  permanent boolean NOT NULL,
  user_name text NOT NULL,
  uid bigint NOT NULL,
  gid bigint NOT NULL,
  set_at timestamptz NOT NULL,
  due_at timestamptz,
  happened_on text[] NOT NULL
);
COMMENT ON TABLE cox.event_trigger IS
  'Event triggers (strigger). A row is deleted in the transaction that orders the run of its program, '
  'unless it is permanent.';
COMMENT ON COLUMN cox.event_trigger.id IS 'Its number.';
COMMENT ON COLUMN cox.event_trigger.event IS 'The event that it waits for.';
COMMENT ON COLUMN cox.event_trigger.job_id IS 'The job, or the job whose nodes it is for; 0: none.';
COMMENT ON COLUMN cox.event_trigger.nodes IS
  'The nodes that it is for; empty: all nodes, or all of the job.';
COMMENT ON COLUMN cox.event_trigger.offset_s IS
  'Seconds between the event and the run of the program; negative: before the event.';
COMMENT ON COLUMN cox.event_trigger.program IS
  'The path of the program on the controller''s host, and its arguments.';
COMMENT ON COLUMN cox.event_trigger.permanent IS 'It is not deleted when its event has happened.';
COMMENT ON COLUMN cox.event_trigger.user_name IS 'The user who set the trigger. The program runs as this user.';
COMMENT ON COLUMN cox.event_trigger.uid IS 'The uid of that user.';
COMMENT ON COLUMN cox.event_trigger.gid IS 'The gid of the process that set it.';
COMMENT ON COLUMN cox.event_trigger.set_at IS 'When it was set.';
COMMENT ON COLUMN cox.event_trigger.due_at IS
  'When its program is to run; null: its event has not happened.';
COMMENT ON COLUMN cox.event_trigger.happened_on IS 'The nodes to which the event has happened.';

-- ---- Leadership and turns ----------------------------------------------------------------------

-- The row that decides which controller may write (see sql/README.md). Without it none can lead.
CREATE TABLE cox.turn (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  term bigint NOT NULL,
  turn bigint NOT NULL,
  session bigint NOT NULL,
  job_id_floor bigint NOT NULL,
  taken_at timestamptz,
  -- The server that the leader wrote to last, and which copy of the database this is.
  timeline bigint,
  incarnation text NOT NULL DEFAULT '',
  -- An orderly stop writes the next job id, so that ids go on without a gap.
  stopped_turn bigint,
  next_job bigint CHECK (next_job > 0)
);
COMMENT ON TABLE cox.turn IS
  'One row, which decides the controller that may write and records the last turn. It fences former leaders.';
COMMENT ON COLUMN cox.turn.singleton IS 'There is one row.';
COMMENT ON COLUMN cox.turn.term IS
  'The leadership that may write; increases with each takeover.';
COMMENT ON COLUMN cox.turn.turn IS 'The last turn that was committed.';
COMMENT ON COLUMN cox.turn.session IS
  'The connection that may write; increases with each reconnection.';
COMMENT ON COLUMN cox.turn.job_id_floor IS
  'Lowest job id that may still be issued.';
COMMENT ON COLUMN cox.turn.taken_at IS 'When the term began.';
COMMENT ON COLUMN cox.turn.timeline IS
  'Timeline of the server that a leader last wrote to; each promotion of a replica begins a new one.';
COMMENT ON COLUMN cox.turn.incarnation IS
  'cox.incarnation() when a leader took its term; if it differs now, this is a restored copy.';
COMMENT ON COLUMN cox.turn.stopped_turn IS
  'The last turn at the last orderly stop of a controller. If it equals turn, nothing was written since. '
  'Null: there was none.';
COMMENT ON COLUMN cox.turn.next_job IS
  'The next job id at that stop; all lower ones may have been issued.';

INSERT INTO cox.turn (term, turn, session, job_id_floor) VALUES (0, 0, 0, 1);

-- The lease of the leading controller, by the database's clock. It only keeps the standbys from trying
-- to write; the row of cox.turn prevents two controllers from writing.
CREATE TABLE cox.leadership (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  holder text NOT NULL,
  term bigint NOT NULL,
  since timestamptz NOT NULL,
  ends_at timestamptz NOT NULL
);
COMMENT ON TABLE cox.leadership IS
  'One row: the leading controller, and the end of its lease.';
COMMENT ON COLUMN cox.leadership.singleton IS 'There is one row.';
COMMENT ON COLUMN cox.leadership.holder IS
  'Host and local endpoint of the leader; empty: no controller has led yet.';
COMMENT ON COLUMN cox.leadership.term IS
  'Its term; if it is lower than in cox.turn, the leader is loading.';
COMMENT ON COLUMN cox.leadership.since IS 'When it became the leader.';
COMMENT ON COLUMN cox.leadership.ends_at IS
  'End of the lease, after which a standby may take over; the leader extends it every third of a lease.';

INSERT INTO cox.leadership (holder, term, since, ends_at) VALUES ('', 0, now(), now());

-- A promoted replica may lack committed turns of the former primary. Each row has what is known about
-- one such failover.
CREATE TABLE cox.failover (
  term bigint NOT NULL,
  to_timeline bigint NOT NULL,
  from_timeline bigint,
  found_at timestamptz NOT NULL,
  turns_lost bigint CHECK (turns_lost >= 0),
  lost_from timestamptz,
  lost_until timestamptz,
  first_lost_job bigint NOT NULL,
  first_new_job bigint NOT NULL CHECK (first_new_job >= first_lost_job),
  jobs_lost bigint[] NOT NULL DEFAULT '{}',
  attempts_lost text[] NOT NULL DEFAULT '{}',
  settled_at timestamptz,
  PRIMARY KEY (term, to_timeline)
);
COMMENT ON TABLE cox.failover IS
  'Failovers of PostgreSQL: a leader found another server, or the same one in an older state. What was '
  'lost, as far as it can be known.';
COMMENT ON COLUMN cox.failover.term IS 'The first term that wrote to the new server.';
COMMENT ON COLUMN cox.failover.to_timeline IS 'Timeline of the new server.';
COMMENT ON COLUMN cox.failover.from_timeline IS
  'Timeline of the server that a leader wrote to before; 0: unknown.';
COMMENT ON COLUMN cox.failover.found_at IS
  'When it was found; never before an attempt began by the clock of the leader until then.';
COMMENT ON COLUMN cox.failover.turns_lost IS
  'Least number of confirmed transactions of the controller that are lost. 0: none; the same leader went '
  'on, and no other can have led meanwhile. null: unknown; no controller had a state to compare with.';
COMMENT ON COLUMN cox.failover.lost_from IS
  'Commits after this time may be lost: the last one that the promoted server had replayed.';
COMMENT ON COLUMN cox.failover.lost_until IS
  'Time of the last lost state that a leader knew; null: unknown.';
COMMENT ON COLUMN cox.failover.first_lost_job IS
  'Ids from this one up to first_new_job may have been returned to users; those jobs are lost.';
COMMENT ON COLUMN cox.failover.first_new_job IS 'First job id that is issued after the failover.';
COMMENT ON COLUMN cox.failover.jobs_lost IS 'Jobs that are known to be lost, from a leader''s memory or from nodes.';
COMMENT ON COLUMN cox.failover.attempts_lost IS
  'Attempts that ran on nodes but were lost from the database, such as 17.2; they were ended.';
COMMENT ON COLUMN cox.failover.settled_at IS
  'When every node had reported its attempts, or could not run any; no job starts before.';

-- The migrations that were applied to this database (controller/io/postgres/schema.h).
CREATE TABLE cox.schema_version (
  version integer PRIMARY KEY,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  definitions text
);
COMMENT ON TABLE cox.schema_version IS 'The migrations that were applied to this database.';
COMMENT ON COLUMN cox.schema_version.version IS 'Number of the migration.';
COMMENT ON COLUMN cox.schema_version.name IS 'Its file, without .sql.';
COMMENT ON COLUMN cox.schema_version.checksum IS
  'SHA-256 of its text: a migration must not change once it was applied.';
COMMENT ON COLUMN cox.schema_version.applied_at IS 'When it was applied.';
COMMENT ON COLUMN cox.schema_version.definitions IS
  'SHA-256 of the texts of all functions and views that were last applied while this migration was the '
  'newest; null: none were.';
