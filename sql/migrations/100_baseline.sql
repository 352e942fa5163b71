-- Schema cox, the truth of a Coxswain cluster, as the first release has it: types, tables, indexes,
-- constraints and first rows. Later migrations change it. Views, and functions with their triggers
-- and grants, are in sql/views and sql/functions. The number is 100 because databases from before
-- the first release had the versions 1 to 62: a controller refuses them.

CREATE SCHEMA cox;
COMMENT ON SCHEMA cox IS
  'Coxswain: jobs, their attempts, checkpoints and history. Start with SELECT * FROM cox.queue.';

-- ---- Types, and what checks use ----------------------------------------------------------------

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
  'What must have become of another job: begun, ended, COMPLETED, ended otherwise; singleton: all '
  'earlier ones of the same name and user have ended; aftercorr: the same task of another array is '
  'COMPLETED.';
CREATE TYPE cox.stop_why AS ENUM (
  'none', 'jobended', 'preempt', 'drain', 'migrate', 'requeue', 'leaseended', 'timelimit',
  'nodelost', 'launchundone', 'rankfailed', 'outofmemory', 'cancel', 'deadline');
CREATE TYPE cox.node_phase AS ENUM ('preparing', 'ready', 'running', 'stopping', 'gone');
CREATE TYPE cox.rank_phase AS ENUM ('waiting', 'running', 'exited');
CREATE TYPE cox.step_phase AS ENUM ('asked', 'running', 'gone');
COMMENT ON TYPE cox.step_phase IS 'Where a step stands on one node.';
CREATE TYPE cox.distribution AS ENUM ('block', 'cyclic', 'plane', 'arbitrary');
COMMENT ON TYPE cox.distribution IS 'How the tasks of a step are dealt out to its nodes.';
CREATE TYPE cox.drained_by AS ENUM (
  'nobody', 'person', 'health_check', 'failures', 'kill_task', 'prolog_epilog');
COMMENT ON TYPE cox.drained_by IS 'Who keeps new work away from a node.';
CREATE TYPE cox.partition_state AS ENUM ('UP', 'DOWN', 'DRAIN', 'INACTIVE');
COMMENT ON TYPE cox.partition_state IS
  'UP: jobs are taken, and start. DOWN: they are taken, and none starts. DRAIN: none are taken, and '
  'those that wait start. INACTIVE: neither.';
CREATE TYPE cox.recurrence AS ENUM ('none', 'hourly', 'daily', 'weekly', 'weekday', 'weekend');
COMMENT ON TYPE cox.recurrence IS 'How an advance reservation comes again.';
CREATE TYPE cox.preempt_mode AS ENUM ('checkpoint', 'requeue', 'cancel', 'off', 'suspend');
CREATE TYPE cox.trigger_event AS ENUM (
  'down', 'up', 'drained', 'draining', 'idle', 'resume', 'fini', 'time',
  'primary_slurmctld_resumed_operation');
COMMENT ON TYPE cox.trigger_event IS 'What an event trigger waits for.';

-- Two functions that CHECKs call. They belong to the tables, not to sql/functions: a migration that
-- changes one must see to the rows that are there. They accept what common/syntax/tres.h reads, with its
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
  'Whether it is a list like cpu=64,mem=512G,node=4,gres/gpu=8,gres/gpu:h100=4,license/matlab=2.';

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
  'Whether this is a list of TRES, as cox.is_tres, of which some count while hours are open: '
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
COMMENT ON COLUMN cox.blob.content IS 'The bytes.';
COMMENT ON COLUMN cox.blob.stored_at IS 'When it was first stored.';

-- A job's row: what is true of it now, then what was asked for. Columns were added over time, so
-- groups repeat; their order must not change, because the controller hands over rows as values of
-- this type.
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
  -- A restored database issues job ids again; the identity of a job is never repeated.
  identity text NOT NULL DEFAULT '',
  -- A start from a checkpoint of another job.
  resume_job bigint NOT NULL DEFAULT 0,
  resume_step bigint NOT NULL DEFAULT -1,
  resume_attempt integer NOT NULL DEFAULT 0,
  resume_identity text NOT NULL DEFAULT '',
  resume_ranks integer NOT NULL DEFAULT 0,
  -- Which nodes are wanted.
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
-- user_name never changes and ended_at has an index already, so updates of a job that has not ended
-- touch this index as little as the others.
CREATE INDEX job_of_user ON cox.job (user_name, ended_at);
-- A starting controller finds the jobs that wait for others without a look at all pending jobs.
CREATE INDEX job_that_depends ON cox.job (id) WHERE ended_at IS NULL AND dependency_on <> '{}';
COMMENT ON INDEX cox.job_that_depends IS 'Jobs that wait for others.';
COMMENT ON TABLE cox.job IS 'Every job ever accepted: what was asked and what is true of it now.';
COMMENT ON COLUMN cox.job.id IS 'The job id; given by the controller and never issued again.';
COMMENT ON COLUMN cox.job.state IS
  'Where the job stands, by Slurm''s names. Preempted and requeued is PENDING.';
COMMENT ON COLUMN cox.job.name IS 'The job''s name, --job-name.';
COMMENT ON COLUMN cox.job.user_name IS 'Whose job it is, as proven by the connection.';
COMMENT ON COLUMN cox.job.partition IS 'The partition it runs in.';
COMMENT ON COLUMN cox.job.qos IS
  'Its tier: a row of cox.qos, which is there at least until the job has ended.';
COMMENT ON COLUMN cox.job.attempt IS 'The newest attempt; 0 before the first.';
COMMENT ON COLUMN cox.job.held IS 'A person holds it back: cox release JOB.';
COMMENT ON COLUMN cox.job.why IS 'The reason of the last change of state, for people.';
COMMENT ON COLUMN cox.job.submitted_at IS 'When it was accepted.';
COMMENT ON COLUMN cox.job.eligible_at IS 'Since when it may run; a requeued job keeps its place.';
COMMENT ON COLUMN cox.job.started_at IS
  'When the newest attempt that reached RUNNING did so; null: never.';
COMMENT ON COLUMN cox.job.ended_at IS
  'When it reached its final state; null exactly while it has not.';
COMMENT ON COLUMN cox.job.exit_code IS 'Exit code of the first failing rank; 0 when none failed.';
COMMENT ON COLUMN cox.job.exit_signal IS
  'Signal that ended the first failing rank; 0 when none did.';
COMMENT ON COLUMN cox.job.restarts IS 'Attempts that reached RUNNING, less one.';
COMMENT ON COLUMN cox.job.avoid_nodes IS
  'Nodes that refused or lost it lately; the next placement avoids them.';
COMMENT ON COLUMN cox.job.request_id IS
  'The client''s id of the submission: a retry with the same one is the same job.';
COMMENT ON COLUMN cox.job.form IS
  'gang: the command is started as every rank. batch: the script runs once, on the first node. '
  'allocation: nothing runs but the steps of whoever asked for it (salloc, srun).';
COMMENT ON COLUMN cox.job.command IS
  'gang: the command''s words; batch: the script''s own arguments.';
COMMENT ON COLUMN cox.job.script_hash IS 'The script''s hash in cox.blob; empty for a gang.';
COMMENT ON COLUMN cox.job.environment_hash IS
  'The environment''s hash in cox.blob: NAME=value, each ended by a NUL byte.';
COMMENT ON COLUMN cox.job.uid IS 'Numeric user id the ranks run as.';
COMMENT ON COLUMN cox.job.gid IS 'Numeric group id the ranks run as.';
COMMENT ON COLUMN cox.job.work_dir IS 'Working directory, --chdir.';
COMMENT ON COLUMN cox.job.output IS
  'Pattern of the output file as written; empty: the default of the form.';
COMMENT ON COLUMN cox.job.error IS
  'Pattern of the error file as written; empty: joined with output.';
COMMENT ON COLUMN cox.job.input IS 'Pattern of the input file as written; empty: /dev/null.';
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
  'Types of GPU that will do, each with its speed: h200|h100:0.8; empty: any.';
COMMENT ON COLUMN cox.job.gpus_per_node IS 'GPUs on each node.';
COMMENT ON COLUMN cox.job.exclusive IS 'Whole nodes, shared with nobody.';
COMMENT ON COLUMN cox.job.nodelist IS 'Nodes it asks for by name; all are wanted.';
COMMENT ON COLUMN cox.job.required_feature IS
  'Features its nodes must have, --constraint: a&b, [a|b], [a*2&b*4]; empty: none.';
COMMENT ON COLUMN cox.job.time_limit_s IS 'Time limit in seconds; 0: none.';
COMMENT ON COLUMN cox.job.signal_number IS
  'Signal to send ahead of the time limit, --signal; 0: none asked.';
COMMENT ON COLUMN cox.job.signal_seconds_before IS 'How many seconds ahead.';
COMMENT ON COLUMN cox.job.signal_batch_only IS 'Only the batch shell gets it (B:).';
COMMENT ON COLUMN cox.job.checkpoint_signal IS
  'Signal that asks for a checkpoint; 0: that of --signal, else SIGCONT and SIGTERM.';
COMMENT ON COLUMN cox.job.checkpoint_by IS 'Who reports a saved step: all_ranks, or rank0 for all.';
COMMENT ON COLUMN cox.job.requeue IS 'It is run again after preemption or the loss of a node.';
COMMENT ON COLUMN cox.job.requeue_on_timeout IS
  'It is run again after its time limit, from its checkpoint.';
COMMENT ON COLUMN cox.job.no_fence IS
  'An overlap of two attempts cannot hurt it: it need not wait for a lost node''s lease.';
COMMENT ON COLUMN cox.job.hold IS 'Whether it was submitted held.';
COMMENT ON COLUMN cox.job.submit_host IS 'The host it was submitted from.';
COMMENT ON COLUMN cox.job.gpu_milli IS 'Thousandths of each of its GPUs; below 1000: of one a node.';
COMMENT ON COLUMN cox.job.gpu_choice IS
  'By what it chooses among types: cost, speed or balanced; empty: as the partition does.';
COMMENT ON COLUMN cox.job.gres IS 'GRES on each node that are no GPUs: fpga:u280:2,nic:1.';
COMMENT ON COLUMN cox.job.licences IS 'Licences it holds while it runs: matlab:2,ansys:1.';
COMMENT ON COLUMN cox.job.node_sizes IS
  'Numbers of nodes that will do, 4-16 or 4,8,16; empty: as many as column nodes says.';
COMMENT ON COLUMN cox.job.switches IS
  'On at most so many leaf switches, and for how long it waits for that: 1@60; empty: on any.';
COMMENT ON COLUMN cox.job.topology IS
  'All nodes in one domain of a level, required:leaf; empty: as near as may be.';
COMMENT ON COLUMN cox.job.time_min_s IS
  'A time limit of so many seconds will do, if it starts sooner for it; 0: not said.';
COMMENT ON COLUMN cox.job.nice IS 'Taken from its priority, --nice.';
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
COMMENT ON COLUMN cox.job.account IS 'Whom it is charged to; empty: there are no accounts.';
COMMENT ON COLUMN cox.job.reservation IS 'The advance reservation it asked for; empty: none.';
COMMENT ON COLUMN cox.job.array_asked IS 'What it asked for with --array; empty: it is a job alone.';
COMMENT ON COLUMN cox.job.array_job IS 'The id of its array, that of the first row; 0: none.';
COMMENT ON COLUMN cox.job.array_task IS 'Which task of it this is; -1: none, or several.';
COMMENT ON COLUMN cox.job.array_tasks IS
  'The tasks that the row stands for, while they do not differ: 4-999.';
COMMENT ON COLUMN cox.job.array_limit IS
  'So many tasks may run at once; in the first row of an array; 0: any number.';
COMMENT ON COLUMN cox.job.dependency_task IS
  'The tasks of the arrays it waits for, in the same order; -1: all tasks, or the job is no array.';
COMMENT ON COLUMN cox.job.exclude IS 'Nodes that it must not have.';
COMMENT ON COLUMN cox.job.memory_mb_per_cpu IS
  'Asked for with --mem-per-cpu; 0: not. What each node must have follows from it.';
COMMENT ON COLUMN cox.job.memory_mb_per_gpu IS 'Likewise, with --mem-per-gpu.';
COMMENT ON COLUMN cox.job.gpus IS 'GPUs of all its nodes, asked for with --gpus; 0: not.';
COMMENT ON COLUMN cox.job.gpus_per_task IS 'Asked for with --gpus-per-task; 0: not.';
COMMENT ON COLUMN cox.job.cpus_per_gpu IS 'Asked for with --cpus-per-gpu; 0: not.';
COMMENT ON COLUMN cox.job.tasks_per_gpu IS 'Asked for with --ntasks-per-gpu; 0: not.';
COMMENT ON COLUMN cox.job.whole_memory IS
  'Asked for with --mem=0: all memory of each of its nodes; memory_mb_per_node is then the most that '
  'is.';
COMMENT ON COLUMN cox.job.comment IS 'What its owner has written with --comment.';
COMMENT ON COLUMN cox.job.wckey IS 'Asked for with --wckey: a word to sort jobs by.';
COMMENT ON COLUMN cox.job.mail_type IS 'Of what mail is sent: BEGIN,END,FAIL; empty: of nothing.';
COMMENT ON COLUMN cox.job.mail_user IS 'To whom; empty: to its owner.';
COMMENT ON COLUMN cox.job.command_path IS
  'Where sbatch found its script; empty: it came from no file, or there is none.';
COMMENT ON COLUMN cox.job.stored_options IS
  'Other options of Slurm as they were given, NAME=VALUE: shown, and nothing else comes of them.';
COMMENT ON COLUMN cox.job.components IS
  'Of a heterogeneous job: what each component behind the first asks for, an object with the names of '
  'the columns of cox.job, which say it of the first. Empty: it is alike throughout. '
  'cox.job_component has all of them as rows.';
COMMENT ON COLUMN cox.job.held_why IS
  'Why the controller holds it: it cannot be launched anywhere. Empty: nobody or a person does.';
COMMENT ON COLUMN cox.job.spec_digest IS
  'Equal for jobs of one user that ask for the same: a hash of it, by the controller. null: of a job from '
  'before there was one, or whose row was changed by hand.';
COMMENT ON COLUMN cox.job.identity IS
  'A UUID that no other job ever has; part of the path of its checkpoints and of their manifests. Empty: '
  'the job was accepted before jobs had one.';
COMMENT ON COLUMN cox.job.resume_job IS
  'The job from whose checkpoint it begins (--resume-from); 0: it begins anew.';
COMMENT ON COLUMN cox.job.resume_step IS 'The step of that checkpoint.';
COMMENT ON COLUMN cox.job.resume_attempt IS 'The attempt that saved it.';
COMMENT ON COLUMN cox.job.resume_identity IS 'The identity of the job that saved it.';
COMMENT ON COLUMN cox.job.resume_ranks IS 'How many ranks saved it.';
COMMENT ON COLUMN cox.job.min_cpus IS
  'The fewest CPUs it gets on each of its nodes, --mincpus; 0: not asked.';
COMMENT ON COLUMN cox.job.contiguous IS
  'Its nodes are next to one another in the order of the cluster''s nodes, --contiguous.';
COMMENT ON COLUMN cox.job.exclusive_user IS
  'Only jobs of the same user run on its nodes, --exclusive=user.';
COMMENT ON COLUMN cox.job.preferred_feature IS
  'Features that are tried before required_feature, --prefer; empty: none.';

-- What a turn changes of a job. A turn hands over the rows of a table as one array of the table's
-- row type, not as an array for each column: PostgreSQL unpacks one array instead of a hundred.
CREATE TYPE cox.job_move AS (
  id bigint, state cox.job_state, attempt integer, held boolean, why text,
  eligible_at timestamptz, started_at timestamptz, ended_at timestamptz, exit_code integer,
  exit_signal integer, restarts integer, avoid_nodes text[], state_left cox.job_state,
  attempt_left integer, dependency_kind cox.dependency_kind[], dependency_on bigint[],
  dependency_delay_s bigint[], dependency_never boolean[], array_job bigint, array_task bigint,
  array_tasks text, array_limit bigint, dependency_task bigint[], held_why text);
COMMENT ON TYPE cox.job_move IS 'What a turn changes of a job, and the state and attempt it leaves.';

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
COMMENT ON COLUMN cox.job_wait.priority IS
  'The priority inside the QOS when the row was last written, without what the age adds.';
COMMENT ON COLUMN cox.job_wait.priority_of_age IS
  'What the age adds at most; 0: nothing, as with every order but multifactor.';
COMMENT ON COLUMN cox.job_wait.age_full_s IS
  'After so many seconds of waiting the age adds all of that; before, in proportion.';

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
COMMENT ON TABLE cox.job_event IS 'The history: everything that became true of a job, in order.';
COMMENT ON TABLE cox.job_event_default IS 'Events of months that have no partition of their own.';
COMMENT ON COLUMN cox.job_event.sequence IS
  'The order in which things became true; grows, with gaps.';
COMMENT ON COLUMN cox.job_event.job_id IS 'The job.';
COMMENT ON COLUMN cox.job_event.attempt IS 'The attempt; 0: before the first.';
COMMENT ON COLUMN cox.job_event.at IS 'When it became true, by the controller''s clock.';
COMMENT ON COLUMN cox.job_event.what IS
  'state for a change of state; checkpoint, node, stop and the like else.';
COMMENT ON COLUMN cox.job_event.state IS 'The job''s state once this was true.';
COMMENT ON COLUMN cox.job_event.why IS 'Why, as a sentence.';
COMMENT ON COLUMN cox.job_event.actor IS 'Who: user NAME, scheduler, node NAME, controller.';

-- ---- Attempts ----------------------------------------------------------------------------------

-- Each try at running a job.
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
COMMENT ON TABLE cox.attempt IS 'Every try at running a job: one live at most for each.';
COMMENT ON COLUMN cox.attempt.job_id IS 'The job.';
COMMENT ON COLUMN cox.attempt.attempt IS 'Which try at it, from 1.';
COMMENT ON COLUMN cox.attempt.state IS
  'Where it stands: preparing, running, stopping or ended; follows from the columns behind.';
COMMENT ON COLUMN cox.attempt.master_port IS
  'MASTER_PORT, as the first node reserved it; 0: not yet.';
COMMENT ON COLUMN cox.attempt.resume_attempt IS
  'The attempt whose checkpoint it resumes from; null: from the start.';
COMMENT ON COLUMN cox.attempt.resume_step IS 'The step it resumes from; null: from the start.';
COMMENT ON COLUMN cox.attempt.stop_why IS 'Why it was asked to stop; none: it was not.';
COMMENT ON COLUMN cox.attempt.stop_ask_checkpoint IS 'Whether the ranks were asked to save first.';
COMMENT ON COLUMN cox.attempt.stop_grace_ms IS 'Milliseconds to save in, before SIGTERM.';
COMMENT ON COLUMN cox.attempt.stop_kill_wait_ms IS 'Milliseconds from SIGTERM to SIGKILL.';
COMMENT ON COLUMN cox.attempt.stop_detail IS 'What the stop request said, for people.';
COMMENT ON COLUMN cox.attempt.began_at IS 'When it was placed and began to prepare.';
COMMENT ON COLUMN cox.attempt.went_at IS
  'When the ranks were let go, or may have begun to run without a word of it; null: never.';
COMMENT ON COLUMN cox.attempt.stop_asked_at IS 'When it was asked to stop; null: it was not.';
COMMENT ON COLUMN cox.attempt.ended_at IS
  'When nothing of it was left on any node; null: it is live.';
COMMENT ON COLUMN cox.attempt.outcome IS 'How it ended, for people.';
COMMENT ON COLUMN cox.attempt.time_limit_s IS
  'Its time limit in seconds where it is shorter than the job''s; 0: the job''s own.';
COMMENT ON COLUMN cox.attempt.fills IS
  'It fills a hole before a reservation of others: at its time limit it has saved and is requeued.';
COMMENT ON COLUMN cox.attempt.suspension IS
  'Number of the newest order to stand still or to go on; 0: none was given.';
COMMENT ON COLUMN cox.attempt.suspended IS 'Whether it is to stand still.';
COMMENT ON COLUMN cox.attempt.suspended_at IS
  'When it was asked to stand still: the newest times, oldest first.';
COMMENT ON COLUMN cox.attempt.suspended_ms IS
  'Milliseconds it has stood still until it went on last; no part of its run time.';
COMMENT ON COLUMN cox.attempt.resumed_at IS 'When it went on last; null: never.';
COMMENT ON COLUMN cox.attempt.partition IS
  'Where it runs, of the partitions that its job names; empty: from before there was this.';
COMMENT ON COLUMN cox.attempt.resume_job IS
  'The job whose checkpoint it resumes from; null: its own job, or from the start.';
COMMENT ON COLUMN cox.attempt.progress_step IS 'The newest step that it said is done.';
COMMENT ON COLUMN cox.attempt.progress_total IS 'Of so many steps; 0: it did not say.';
COMMENT ON COLUMN cox.attempt.progress_at IS 'When it said so; null: it said nothing.';
COMMENT ON COLUMN cox.attempt.progress_first_step IS 'The first step that it said: the rate counts from there.';
COMMENT ON COLUMN cox.attempt.progress_first_at IS 'When it said the first step.';
COMMENT ON COLUMN cox.attempt.metric_name IS 'Names of the metrics that it said with it, like loss.';
COMMENT ON COLUMN cox.attempt.metric_value IS 'Their values, as they were written.';

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
  -- A stopping attempt gives back each node as soon as nothing of it runs there.
  given_back_at timestamptz,
  PRIMARY KEY (job_id, attempt, position),
  FOREIGN KEY (job_id, attempt) REFERENCES cox.attempt ON DELETE CASCADE
);
COMMENT ON TABLE cox.attempt_node IS
  'What an attempt was granted on each of its nodes, and where it stands there.';
COMMENT ON COLUMN cox.attempt_node.job_id IS 'The job.';
COMMENT ON COLUMN cox.attempt_node.attempt IS 'The attempt.';
COMMENT ON COLUMN cox.attempt_node.position IS
  'Place in the attempt''s node list, from 0: SLURM_NODEID.';
COMMENT ON COLUMN cox.attempt_node.node IS 'The node.';
COMMENT ON COLUMN cox.attempt_node.phase IS 'Where the attempt stands on this node.';
COMMENT ON COLUMN cox.attempt_node.first_rank IS 'The lowest rank on this node.';
COMMENT ON COLUMN cox.attempt_node.ranks IS 'How many ranks it holds.';
COMMENT ON COLUMN cox.attempt_node.cpus IS 'CPUs granted.';
COMMENT ON COLUMN cox.attempt_node.memory_mb IS 'Memory granted, in MiB; 0: not counted.';
COMMENT ON COLUMN cox.attempt_node.gpus IS 'GPU device indices granted.';
COMMENT ON COLUMN cox.attempt_node.revision IS 'The newest status of this node that was taken in.';
COMMENT ON COLUMN cox.attempt_node.note IS 'What the node had to say, for people.';
COMMENT ON COLUMN cox.attempt_node.gpu_milli IS 'Thousandths of each of these GPUs.';
COMMENT ON COLUMN cox.attempt_node.suspension IS
  'Number of the newest order to stand still or to go on that is carried out on this node.';
COMMENT ON COLUMN cox.attempt_node.user_cpu_ms IS
  'CPU time of its ranks that have exited there, as users; those of steps are counted in cox.step.';
COMMENT ON COLUMN cox.attempt_node.system_cpu_ms IS 'The same in the kernel.';
COMMENT ON COLUMN cox.attempt_node.max_rss_kb IS 'The most memory one of them held, in KiB.';
COMMENT ON COLUMN cox.attempt_node.component IS
  'Which component of a heterogeneous job has the node; 0: the first, or of a job that is alike.';
COMMENT ON COLUMN cox.attempt_node.given_back_at IS
  'When other jobs could have the room on this node again; null: with the end of the attempt.';

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
COMMENT ON COLUMN cox.rank.saved_step IS 'Steps it reported saved, newest last.';
COMMENT ON COLUMN cox.rank.saved_bytes IS 'Bytes of each of those steps.';
COMMENT ON COLUMN cox.rank.saved_files IS 'Files of each of those steps.';
COMMENT ON COLUMN cox.rank.saved_after_stop IS
  'Whether each was reported after the request to stop.';
COMMENT ON COLUMN cox.rank.output_from IS
  'Byte of its output file at which this attempt begins; null: not prepared yet.';
COMMENT ON COLUMN cox.rank.error_from IS
  'Byte of its error file at which this attempt begins; null: not prepared yet.';

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
COMMENT ON COLUMN cox.step.nodelist IS
  'Only these nodes, and all of them. Of distribution arbitrary: the node of each task, in order.';
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
COMMENT ON COLUMN cox.step.component IS
  'Of a heterogeneous job: the component on whose nodes it runs (srun --het-group); -1: on all.';
COMMENT ON COLUMN cox.step.exited_tasks IS
  'Number of tasks that have exited. The sums and extremes are of them.';
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
COMMENT ON INDEX cox.checkpoint_with_files IS 'Checkpoints whose files take room.';
COMMENT ON TABLE cox.checkpoint IS
  'Saved states of whole gangs, committed: what a job can resume from.';
COMMENT ON COLUMN cox.checkpoint.job_id IS 'The job.';
COMMENT ON COLUMN cox.checkpoint.attempt IS 'The attempt that saved it.';
COMMENT ON COLUMN cox.checkpoint.step IS 'The step: the gang''s, every rank has saved it.';
COMMENT ON COLUMN cox.checkpoint.bytes IS 'Bytes of all ranks together.';
COMMENT ON COLUMN cox.checkpoint.files IS 'Files of all ranks together.';
COMMENT ON COLUMN cox.checkpoint.committed_at IS
  'When the last rank had reported it and it became a fact.';
COMMENT ON COLUMN cox.checkpoint.damaged IS 'Found not to verify: skipped from then on.';
COMMENT ON COLUMN cox.checkpoint.pruned IS 'Its files are removed, or about to be.';
COMMENT ON COLUMN cox.checkpoint.removed_at IS
  'When a worker confirmed that its files are gone; null: it has not.';

-- ---- Nodes and partitions ----------------------------------------------------------------------

-- Nodes, with the GPUs that they reported and what operators said of them.
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
  -- Health: who keeps work away, when the node came back, which jobs failed there.
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
  'UP, DRAIN or DOWN (not responding); follows from the columns behind.';
COMMENT ON COLUMN cox.node.drained IS 'It gets no new work: cox resume NODE.';
COMMENT ON COLUMN cox.node.responding IS
  'Heard from within node_timeout, and by enough good heartbeats since it was not.';
COMMENT ON COLUMN cox.node.reason IS 'Of the drain or the silence.';
COMMENT ON COLUMN cox.node.cpus IS 'CPUs it has.';
COMMENT ON COLUMN cox.node.memory_mb IS 'Memory it has, in MiB.';
COMMENT ON COLUMN cox.node.features IS 'Features that --constraint can name.';
COMMENT ON COLUMN cox.node.gpu_index IS 'Its GPUs'' device indices.';
COMMENT ON COLUMN cox.node.gpu_type IS 'Its GPUs'' types, in the same order.';
COMMENT ON COLUMN cox.node.gpu_uuid IS 'Its GPUs'' UUIDs, in the same order.';
COMMENT ON COLUMN cox.node.address IS 'Numeric address its ranks are reached at.';
COMMENT ON COLUMN cox.node.log_endpoint IS 'Where its worker answers readers of logs.';
COMMENT ON COLUMN cox.node.log_key IS 'CURVE public key of that endpoint.';
COMMENT ON COLUMN cox.node.boot_id IS 'The machine''s boot id, new with each boot.';
COMMENT ON COLUMN cox.node.version IS 'Its worker''s version.';
COMMENT ON COLUMN cox.node.changed_at IS 'When this row last changed.';
COMMENT ON COLUMN cox.node.gres IS 'What it has in numbers beside GPUs: fpga:u280:2,nic:1.';
COMMENT ON COLUMN cox.node.gpu_island IS
  'Its GPUs'' islands, in the same order: those of one number are joined; 0: not known.';
COMMENT ON COLUMN cox.node.weight IS
  'Of the nodes that would do, jobs get those of the least weight first.';
COMMENT ON COLUMN cox.node.drained_by IS
  'Who drained it. health_check: its worker, until the check passes again. failures, kill_task, '
  'prolog_epilog: the controller, until somebody resumes it.';
COMMENT ON COLUMN cox.node.returned_at IS
  'When it came back from silence, lately, the oldest first: the more often, the more good '
  'heartbeats are wanted the next time.';
COMMENT ON COLUMN cox.node.failure_jobs IS
  'Whose attempts failed there lately for the node''s reasons, each job once, of an array its id; '
  '0: the node itself was lost.';
COMMENT ON COLUMN cox.node.failure_at IS 'When, in the same order.';
COMMENT ON COLUMN cox.node.set_down IS
  'An operator set it DOWN, and its jobs were ended or requeued: scontrol update NodeName=NODE '
  'State=RESUME.';
COMMENT ON COLUMN cox.node.reason_by IS
  'Who drained it or set it DOWN, as the actor in cox.node_event; of no drain empty.';

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
  'What became of nodes, append-only. What is older than a year goes as new events of the node come.';
COMMENT ON COLUMN cox.node_event.sequence IS 'In the order in which it happened.';
COMMENT ON COLUMN cox.node_event.node IS 'Its name.';
COMMENT ON COLUMN cox.node_event.at IS 'When.';
COMMENT ON COLUMN cox.node_event.what IS
  'What: not responding, returned, drained, down, resumed, failure, forgiven, fence, fenced.';
COMMENT ON COLUMN cox.node_event.why IS 'Why, for people.';
COMMENT ON COLUMN cox.node_event.actor IS 'Who did it, or said it.';

-- What people change of partitions while the cluster runs; the settings file has the rest.
CREATE TABLE cox.partition (
  name text PRIMARY KEY CHECK (name <> ''),
  state cox.partition_state NOT NULL,
  reason text NOT NULL DEFAULT '',
  changed_at timestamptz NOT NULL,
  made_with text[] NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE cox.partition IS
  'Partitions that were made while the cluster runs, and those of the configuration whose state '
  'somebody has changed; others are UP.';
COMMENT ON COLUMN cox.partition.name IS 'The partition.';
COMMENT ON COLUMN cox.partition.state IS 'Whether it takes jobs, and starts them.';
COMMENT ON COLUMN cox.partition.reason IS 'Why it is in that state, for people.';
COMMENT ON COLUMN cox.partition.changed_at IS 'When that was last changed.';
COMMENT ON COLUMN cox.partition.made_with IS
  'The settings of a partition that was made while the cluster runs, by Slurm''s names, such as '
  'Nodes=n[1-2]. Empty: it stands in the configuration, which also wins if both have the name.';

-- Advance reservations: nodes that are kept for some users, accounts or QOSes for a time.
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
  'Advance reservations that are on or to come. `cox reserve` makes and changes them.';
COMMENT ON COLUMN cox.reservation.name IS 'What --reservation names.';
COMMENT ON COLUMN cox.reservation.begin_at IS
  'When it begins, or began: of the present or next time.';
COMMENT ON COLUMN cox.reservation.end_at IS 'When it ends.';
COMMENT ON COLUMN cox.reservation.recurrence IS 'How it comes again.';
COMMENT ON COLUMN cox.reservation.nodes IS
  'Its nodes. Those of a reservation by number change when some become unusable.';
COMMENT ON COLUMN cox.reservation.nodes_asked IS
  'Nodes as they were named, or ALL; empty: they were not.';
COMMENT ON COLUMN cox.reservation.node_count IS
  'How many nodes were asked for; 0: it was not said.';
COMMENT ON COLUMN cox.reservation.features IS 'What each node had to have.';
COMMENT ON COLUMN cox.reservation.tres IS 'What they had to have together: gres/gpu=8.';
COMMENT ON COLUMN cox.reservation.partition IS 'The partition they were taken from; empty: any.';
COMMENT ON COLUMN cox.reservation.users IS
  'Who may use it; behind a - who may not; empty: anybody.';
COMMENT ON COLUMN cox.reservation.accounts IS 'Whose jobs may use it, by account, likewise.';
COMMENT ON COLUMN cox.reservation.qos IS 'Jobs of which QOS may use it, likewise.';
COMMENT ON COLUMN cox.reservation.maint IS 'It is for maintenance, and may be laid over others.';
COMMENT ON COLUMN cox.reservation.magnetic IS 'Jobs that may use it are drawn in unasked.';
COMMENT ON COLUMN cox.reservation.flex IS
  'Its jobs may also run outside of it, before and after it.';
COMMENT ON COLUMN cox.reservation.overlap IS 'It may be laid over others.';
COMMENT ON COLUMN cox.reservation.ignore_jobs IS 'It may be made where jobs run into it.';
COMMENT ON COLUMN cox.reservation.changed_at IS 'When it was made or changed last.';
COMMENT ON COLUMN cox.reservation.changed_by IS 'By whom.';
COMMENT ON COLUMN cox.reservation.static_alloc IS
  'Nodes that become unusable are not replaced (STATIC_ALLOC).';
COMMENT ON COLUMN cox.reservation.replace_down IS
  'The flag REPLACE_DOWN was given: nodes are replaced, as they are without it.';
COMMENT ON COLUMN cox.reservation.purge_idle_s IS
  'An occurrence ends when it had no jobs for so many seconds (PURGE_COMP); 0: never.';

CREATE TABLE cox.reservation_event (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  reservation text NOT NULL,
  at timestamptz NOT NULL,
  what text NOT NULL,
  actor text NOT NULL
);
COMMENT ON TABLE cox.reservation_event IS 'What became of advance reservations, append-only.';
COMMENT ON COLUMN cox.reservation_event.sequence IS 'In the order in which it happened.';
COMMENT ON COLUMN cox.reservation_event.reservation IS 'Its name.';
COMMENT ON COLUMN cox.reservation_event.at IS 'When.';
COMMENT ON COLUMN cox.reservation_event.what IS
  'What: created, updated, moved on, deleted, over.';
COMMENT ON COLUMN cox.reservation_event.actor IS 'Who did it.';

-- ---- QOSes and accounts ------------------------------------------------------------------------

-- QOSes. The controller reads this table again every two seconds, so a change by SQL takes effect
-- without a restart; no running job is stopped for it. The bounds keep the controller's arithmetic
-- from overflowing.
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
COMMENT ON TABLE cox.qos IS 'The tiers of jobs: quality of service.';
COMMENT ON COLUMN cox.qos.name IS 'The name that --qos gives.';
COMMENT ON COLUMN cox.qos.tier IS 'A higher tier is served first and may preempt a lower one.';
COMMENT ON COLUMN cox.qos.grace_ms IS
  'Milliseconds to save in, before SIGTERM (checkpoint, suspend, off); from SIGTERM to SIGKILL, 0: '
  'as kill_wait says (requeue, cancel). Slurm''s GraceTime.';
COMMENT ON COLUMN cox.qos.preempt_mode IS
  'What preemption does to its jobs: checkpoint: asked to save, then requeued; requeue: stopped '
  'without that and requeued; cancel: stopped, and they end PREEMPTED; suspend: they stand still, '
  'and go on when their CPUs are free again; off: never preempted.';
COMMENT ON COLUMN cox.qos.preempt_weight IS
  'What its jobs lose by preemption counts so many times, 1 to 1000; null: the tier and one.';
COMMENT ON COLUMN cox.qos.preempt_exempt_time_s IS
  'An attempt runs at least so many seconds before it is preempted; null: as preempt_exempt_time.';
COMMENT ON COLUMN cox.qos.grp_tres IS
  'What all its jobs may have together while they run: cpu=64,gres/gpu=8. Empty: all there is.';
COMMENT ON COLUMN cox.qos.grp_jobs IS 'How many of its jobs may run; null: any number.';
COMMENT ON COLUMN cox.qos.grp_submit_jobs IS
  'How many of its jobs may wait or run; more are refused; null: any number.';
COMMENT ON COLUMN cox.qos.max_tres_per_user IS 'As grp_tres, of the jobs of each user.';
COMMENT ON COLUMN cox.qos.max_jobs_per_user IS 'As grp_jobs, of each user.';
COMMENT ON COLUMN cox.qos.max_submit_jobs_per_user IS 'As grp_submit_jobs, of each user.';
COMMENT ON COLUMN cox.qos.max_tres_per_job IS 'What a job may ask for; more is refused.';
COMMENT ON COLUMN cox.qos.min_tres_per_job IS 'What a job must ask for; less is refused.';
COMMENT ON COLUMN cox.qos.max_wall_s IS
  'The longest time limit in seconds, and that of who asks for none; null: any.';
COMMENT ON COLUMN cox.qos.grp_tres_mins IS
  'What all its jobs may use, in minutes of each; use that is longer ago counts less.';
COMMENT ON COLUMN cox.qos.grp_wall_s IS
  'How long they may run, added up likewise, in seconds; null: any time.';
COMMENT ON COLUMN cox.qos.kept_tres IS 'So much is left free by jobs of lower tiers.';

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
COMMENT ON TABLE cox.qos_used IS 'What the jobs of a tier used that are over.';
COMMENT ON COLUMN cox.qos_used.qos IS 'The tier.';
COMMENT ON COLUMN cox.qos_used.usage_tres IS 'Of what. Halved with each half-life since usage_at.';
COMMENT ON COLUMN cox.qos_used.usage_seconds IS 'How much, in seconds of each, in the same order.';
COMMENT ON COLUMN cox.qos_used.usage_at IS 'When that was added up.';

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
  -- What was used.
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
  'The tree of accounts, and the users in them: whom jobs are charged to. Changed by CALL '
  'cox.sacctmgr(...) or the command sacctmgr; what is written here by hand is not followed.';
COMMENT ON COLUMN cox.association.id IS 'Its number.';
COMMENT ON COLUMN cox.association.account IS 'The account.';
COMMENT ON COLUMN cox.association.user_name IS 'A user of it; empty: the account itself.';
COMMENT ON COLUMN cox.association.partition IS
  'Of a user: for jobs in this partition alone; empty: in any.';
COMMENT ON COLUMN cox.association.parent IS 'The account that it is part of; empty of root, and of users.';
COMMENT ON COLUMN cox.association.shares IS 'Fairshare: what it is entitled to, beside its siblings.';
COMMENT ON COLUMN cox.association.shares_of_parent IS
  'Fairshare=parent: it stands where its parent stands.';
COMMENT ON COLUMN cox.association.is_default IS
  'Of a user: jobs that name no account are charged to this one.';
COMMENT ON COLUMN cox.association.qos IS 'The tiers its jobs may have; empty: as the account above.';
COMMENT ON COLUMN cox.association.default_qos IS
  'The tier of jobs that name none; empty: as the account above.';
COMMENT ON COLUMN cox.association.description IS 'For people.';
COMMENT ON COLUMN cox.association.organization IS 'For people.';
COMMENT ON COLUMN cox.association.grp_tres IS
  'What its jobs, and those of all below it, may have together while they run.';
COMMENT ON COLUMN cox.association.grp_jobs IS 'How many of them may run; null: any number.';
COMMENT ON COLUMN cox.association.grp_submit_jobs IS
  'How many of them may wait or run; more are refused; null: any number.';
COMMENT ON COLUMN cox.association.grp_tres_mins IS
  'What they may use, in minutes of each; use that is longer ago counts less.';
COMMENT ON COLUMN cox.association.grp_wall_s IS
  'How long they may run, added up likewise, in seconds; null: any time.';
COMMENT ON COLUMN cox.association.max_tres_per_job IS
  'What a job may ask for; empty: as the account above.';
COMMENT ON COLUMN cox.association.max_tres_mins_per_job IS
  'The same times its time limit, in minutes.';
COMMENT ON COLUMN cox.association.max_jobs IS
  'How many jobs of a user may run; null: as the account above.';
COMMENT ON COLUMN cox.association.max_submit_jobs IS
  'How many jobs of a user may wait or run; null: as the account above.';
COMMENT ON COLUMN cox.association.max_wall_s IS
  'The longest time limit in seconds; null: as the account above.';
COMMENT ON COLUMN cox.association.usage_tres IS
  'What its ended attempts used: of what. Halved with each half-life since usage_at.';
COMMENT ON COLUMN cox.association.usage_seconds IS 'How much, in seconds of each, in the same order.';
COMMENT ON COLUMN cox.association.usage_at IS 'When that was added up; null: nothing was used.';
COMMENT ON COLUMN cox.association.guarantee IS
  'Of an account: what is always its own. Who borrows it gives way within its grace.';
COMMENT ON COLUMN cox.association.deserved IS
  'Of an account: what is its own while its jobs ask for it; lent to others else.';
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
  'What administrators asked for, by CALL cox.sacctmgr(...) or by the command sacctmgr, and what '
  'became of it. The controller answers a row within a second.';
COMMENT ON COLUMN cox.request.id IS 'Its number.';
COMMENT ON COLUMN cox.request.asked_at IS 'When it was asked.';
COMMENT ON COLUMN cox.request.asked_by IS 'By whom: a role of the database, or a user.';
COMMENT ON COLUMN cox.request.command IS
  'The words, as sacctmgr takes them; one request a line. The lines are done together or not at all.';
COMMENT ON COLUMN cox.request.answered_at IS 'When it was answered; null: not yet.';
COMMENT ON COLUMN cox.request.refused IS 'Whether nothing of it was done; null: not yet answered.';
COMMENT ON COLUMN cox.request.lines IS 'What was done, or why not.';

-- ---- What users leave with the controller ------------------------------------------------------

-- Crontabs (scrontab): the text of each user, and the job that stands for each line.
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

-- Event triggers (strigger): programs that the controller runs when something happens.
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
  'Event triggers that are set (strigger). A row goes in the transaction that decides to run its '
  'program, unless it is permanent.';
COMMENT ON COLUMN cox.event_trigger.id IS 'Its number.';
COMMENT ON COLUMN cox.event_trigger.event IS 'The event that it waits for.';
COMMENT ON COLUMN cox.event_trigger.job_id IS 'The job, or the job whose nodes are meant; 0: none.';
COMMENT ON COLUMN cox.event_trigger.nodes IS
  'The nodes that are meant; empty: all, or all of the job.';
COMMENT ON COLUMN cox.event_trigger.offset_s IS
  'Seconds between the event and the run of the program; negative: before the event.';
COMMENT ON COLUMN cox.event_trigger.program IS
  'The path of the program on the controller''s host, and its arguments.';
COMMENT ON COLUMN cox.event_trigger.permanent IS 'It stays when its event has happened.';
COMMENT ON COLUMN cox.event_trigger.user_name IS 'The user who set the trigger. The program runs as this user.';
COMMENT ON COLUMN cox.event_trigger.uid IS 'The uid of that user.';
COMMENT ON COLUMN cox.event_trigger.gid IS 'The gid of the process that set it.';
COMMENT ON COLUMN cox.event_trigger.set_at IS 'When it was set.';
COMMENT ON COLUMN cox.event_trigger.due_at IS
  'When its program is to run; null: its event has not happened.';
COMMENT ON COLUMN cox.event_trigger.happened_on IS 'The nodes to which the event has happened.';

-- ---- Who writes --------------------------------------------------------------------------------

-- The row that says who may write (see sql/README.md). Without it no controller can lead.
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
  'One row that says who may write and what was written last: it fences and it settles doubt.';
COMMENT ON COLUMN cox.turn.singleton IS 'There is one row.';
COMMENT ON COLUMN cox.turn.term IS
  'The leadership that may write: grows with each controller that takes over.';
COMMENT ON COLUMN cox.turn.turn IS 'The last turn that was committed.';
COMMENT ON COLUMN cox.turn.session IS
  'The connection that may write: grows with each reconnection.';
COMMENT ON COLUMN cox.turn.job_id_floor IS
  'No job id below it is issued from now on, unless it exists.';
COMMENT ON COLUMN cox.turn.taken_at IS 'When the term began.';
COMMENT ON COLUMN cox.turn.timeline IS
  'Of the server that a leader wrote to last; each promotion of a replica begins a new one.';
COMMENT ON COLUMN cox.turn.incarnation IS
  'cox.incarnation() when a leader took its term: where it differs, this is a restored copy.';
COMMENT ON COLUMN cox.turn.stopped_turn IS
  'The last turn when a controller was last stopped in order. While it equals turn, nothing was '
  'written since. Null: never.';
COMMENT ON COLUMN cox.turn.next_job IS
  'The next job id, by that controller: all lower ones may have been issued.';

INSERT INTO cox.turn (term, turn, session, job_id_floor) VALUES (0, 0, 0, 1);

-- Which of several controllers leads: a lease, by the database's clock. It only spares the other
-- controllers the attempt to write; the row of cox.turn is what keeps two controllers from writing.
CREATE TABLE cox.leadership (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  holder text NOT NULL,
  term bigint NOT NULL,
  since timestamptz NOT NULL,
  ends_at timestamptz NOT NULL
);
COMMENT ON TABLE cox.leadership IS
  'One row that says which controller leads, and until when unless it says so again.';
COMMENT ON COLUMN cox.leadership.singleton IS 'There is one row.';
COMMENT ON COLUMN cox.leadership.holder IS
  'Its host and its local endpoint; empty: nobody has led yet.';
COMMENT ON COLUMN cox.leadership.term IS
  'Its term (cox.turn), as far as it has told; lower: it is loading.';
COMMENT ON COLUMN cox.leadership.since IS 'When it took the lead.';
COMMENT ON COLUMN cox.leadership.ends_at IS
  'Others may take the lead from then on; the leader moves it on each third of its lease.';

INSERT INTO cox.leadership (holder, term, since, ends_at) VALUES ('', 0, now(), now());

-- A replica that was promoted may lack committed turns of the former primary. Each row says what is
-- known of one such failover.
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
  'Each time a leader found another server behind its connection, or the same one older than it '
  'was: what was lost, as far as anybody can know.';
COMMENT ON COLUMN cox.failover.term IS 'The first leadership that wrote there.';
COMMENT ON COLUMN cox.failover.to_timeline IS 'Of the server from then on.';
COMMENT ON COLUMN cox.failover.from_timeline IS
  'Of the server that a leader wrote to before; 0: not known.';
COMMENT ON COLUMN cox.failover.found_at IS
  'When that was found, but never before an attempt had begun by the clock of who led until then.';
COMMENT ON COLUMN cox.failover.turns_lost IS
  'Transactions of the controller that were told to be true and are gone, at least. 0: none of what '
  'the leader that went on had been told, and nobody else can have led meanwhile. null: nobody who '
  'could know it was left to compare.';
COMMENT ON COLUMN cox.failover.lost_from IS
  'What was told from then on may be lost: the last that the promoted server had replayed.';
COMMENT ON COLUMN cox.failover.lost_until IS
  'The last moment of which a leader knew the truth that is gone; null: nobody knows.';
COMMENT ON COLUMN cox.failover.first_lost_job IS
  'Ids of jobs from there on, below first_new_job, may have been told; those jobs are gone.';
COMMENT ON COLUMN cox.failover.first_new_job IS 'Ids are issued from there on, since then.';
COMMENT ON COLUMN cox.failover.jobs_lost IS 'Jobs known to be gone: by a leader, or by nodes.';
COMMENT ON COLUMN cox.failover.attempts_lost IS
  'Attempts that ran on nodes and were not known any more, "17.2": they were ended.';
COMMENT ON COLUMN cox.failover.settled_at IS
  'When each node had told what it runs, or could run nothing any more; no job starts before.';

-- Which migrations this database has had (controller/io/postgres/schema.h).
CREATE TABLE cox.schema_version (
  version integer PRIMARY KEY,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  definitions text
);
COMMENT ON TABLE cox.schema_version IS 'The migrations this database has had.';
COMMENT ON COLUMN cox.schema_version.version IS 'Number of the migration.';
COMMENT ON COLUMN cox.schema_version.name IS 'Its file, without .sql.';
COMMENT ON COLUMN cox.schema_version.checksum IS
  'sha256 of its text: a migration never changes once it was applied.';
COMMENT ON COLUMN cox.schema_version.applied_at IS 'When it was applied.';
COMMENT ON COLUMN cox.schema_version.definitions IS
  'SHA-256 of the texts of all functions and views that were last applied while this migration was '
  'the newest; null: they were not.';
