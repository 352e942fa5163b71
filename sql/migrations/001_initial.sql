-- Schema cox: the truth of a Coxswain cluster. The controller alone writes it; people read it, best
-- through the views of 003_views.sql. Applied by controller/io/postgres/schema.cpp in one transaction.

CREATE SCHEMA cox;
COMMENT ON SCHEMA cox IS
  'Coxswain: jobs, their attempts, checkpoints and history. Start with SELECT * FROM cox.queue.';

-- In the order of common/job/job_state.h: everything from COMPLETED on is final.
CREATE TYPE cox.job_state AS ENUM (
  'PENDING', 'CONFIGURING', 'RUNNING', 'SIGNALING', 'COMPLETING', 'COMPLETED', 'FAILED',
  'CANCELLED', 'TIMEOUT', 'NODE_FAIL', 'PREEMPTED', 'OUT_OF_MEMORY');
COMMENT ON TYPE cox.job_state IS
  'States of a job, by Slurm''s names; from COMPLETED on they are final.';
CREATE TYPE cox.job_form AS ENUM ('gang', 'batch');
CREATE TYPE cox.checkpoint_by AS ENUM ('all_ranks', 'rank0');
CREATE TYPE cox.node_phase AS ENUM ('preparing', 'ready', 'running', 'stopping', 'gone');
CREATE TYPE cox.rank_phase AS ENUM ('waiting', 'running', 'exited');
CREATE TYPE cox.stop_why AS ENUM (
  'none', 'jobended', 'preempt', 'drain', 'migrate', 'requeue', 'leaseended', 'timelimit',
  'nodelost', 'launchundone', 'rankfailed', 'outofmemory', 'cancel');

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
  CONSTRAINT job_ended_exactly_when_final
    CHECK ((ended_at IS NOT NULL) = (state >= 'COMPLETED')),
  CONSTRAINT job_live_has_an_attempt
    CHECK (state = 'PENDING' OR state >= 'COMPLETED' OR attempt >= 1),
  CONSTRAINT job_running_has_started
    CHECK (state NOT IN ('RUNNING', 'SIGNALING') OR started_at IS NOT NULL),
  CONSTRAINT job_completed_exited_zero
    CHECK (state <> 'COMPLETED' OR (exit_code = 0 AND exit_signal = 0))
);
COMMENT ON TABLE cox.job IS 'Every job ever accepted: what was asked and what is true of it now.';
COMMENT ON COLUMN cox.job.id IS 'The job id; given by the controller and never issued again.';
COMMENT ON COLUMN cox.job.state IS
  'Where the job stands, by Slurm''s names. Preempted and requeued is PENDING.';
COMMENT ON COLUMN cox.job.name IS 'The job''s name, --job-name.';
COMMENT ON COLUMN cox.job.user_name IS 'Whose job it is, as proven by the connection.';
COMMENT ON COLUMN cox.job.partition IS 'The partition it runs in.';
COMMENT ON COLUMN cox.job.qos IS 'Its tier: a row of cox.qos.';
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
  'gang: the command is every rank; batch: the script runs once, on the first node.';
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
COMMENT ON COLUMN cox.job.gpu_type IS 'Type of the GPUs asked for; empty: any.';
COMMENT ON COLUMN cox.job.gpus_per_node IS 'GPUs on each node.';
COMMENT ON COLUMN cox.job.exclusive IS 'Whole nodes, shared with nobody.';
COMMENT ON COLUMN cox.job.nodelist IS 'Nodes it asks for by name; all are wanted.';
COMMENT ON COLUMN cox.job.required_feature IS
  'A feature every node must have, --constraint; empty: none.';
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

CREATE INDEX job_not_ended ON cox.job (id) WHERE ended_at IS NULL;
CREATE INDEX job_lately_ended ON cox.job (ended_at) WHERE ended_at IS NOT NULL;
CREATE UNIQUE INDEX job_by_request ON cox.job (request_id) WHERE request_id <> '';

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
  PRIMARY KEY (job_id, attempt),
  CONSTRAINT attempt_resumes_from_both_or_neither
    CHECK ((resume_attempt IS NULL) = (resume_step IS NULL))
);
COMMENT ON TABLE cox.attempt IS 'Every try at running a job: one live at most for each.';
COMMENT ON COLUMN cox.attempt.job_id IS 'The job.';
COMMENT ON COLUMN cox.attempt.attempt IS 'Which try at it, from 1.';
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
  'When all nodes were ready and the ranks were let go; null: never.';
COMMENT ON COLUMN cox.attempt.stop_asked_at IS 'When it was asked to stop; null: it was not.';
COMMENT ON COLUMN cox.attempt.ended_at IS
  'When nothing of it was left on any node; null: it is live.';
COMMENT ON COLUMN cox.attempt.outcome IS 'How it ended, for people.';
COMMENT ON COLUMN cox.attempt.state IS
  'Where it stands: preparing, running, stopping or ended; follows from the columns behind.';

-- The invariant that matters most: two attempts of a job are never live at once.
CREATE UNIQUE INDEX attempt_live_once_per_job ON cox.attempt (job_id) WHERE ended_at IS NULL;

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

CREATE TABLE cox.checkpoint (
  job_id bigint NOT NULL,
  attempt integer NOT NULL,
  step bigint NOT NULL,
  bytes bigint NOT NULL,
  files bigint NOT NULL,
  committed_at timestamptz NOT NULL,
  damaged boolean NOT NULL,
  pruned boolean NOT NULL,
  PRIMARY KEY (job_id, attempt, step),
  FOREIGN KEY (job_id, attempt) REFERENCES cox.attempt ON DELETE CASCADE
);
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

-- Append-only and partitioned by month (cox.create_event_partitions); old months are dropped whole.
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
COMMENT ON TABLE cox.job_event IS 'The history: everything that became true of a job, in order.';
COMMENT ON COLUMN cox.job_event.job_id IS 'The job.';
COMMENT ON COLUMN cox.job_event.attempt IS 'The attempt; 0: before the first.';
COMMENT ON COLUMN cox.job_event.at IS 'When it became true, by the controller''s clock.';
COMMENT ON COLUMN cox.job_event.what IS
  'state for a change of state; checkpoint, node, stop and the like else.';
COMMENT ON COLUMN cox.job_event.state IS 'The job''s state once this was true.';
COMMENT ON COLUMN cox.job_event.why IS 'Why, as a sentence.';
COMMENT ON COLUMN cox.job_event.actor IS 'Who: user NAME, scheduler, node NAME, controller.';
COMMENT ON COLUMN cox.job_event.sequence IS
  'The order in which things became true; grows, with gaps.';

CREATE INDEX job_event_of_a_job ON cox.job_event (job_id, sequence);
CREATE INDEX job_event_by_time ON cox.job_event (at);
CREATE TABLE cox.job_event_default PARTITION OF cox.job_event DEFAULT;
COMMENT ON TABLE cox.job_event_default IS 'Events of months that have no partition of their own.';

CREATE TABLE cox.blob (
  hash text PRIMARY KEY,
  content bytea NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE cox.blob IS
  'Scripts and environments, each stored once by its content. Environments may hold secrets.';
COMMENT ON COLUMN cox.blob.hash IS 'xxh3-128 of the content, 32 hex digits.';
COMMENT ON COLUMN cox.blob.content IS 'The bytes.';
COMMENT ON COLUMN cox.blob.stored_at IS 'When it was first stored.';

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
  CONSTRAINT node_gpu_columns_are_parallel CHECK (
    cardinality(gpu_index) = cardinality(gpu_type)
    AND cardinality(gpu_index) = cardinality(gpu_uuid))
);
COMMENT ON TABLE cox.node IS 'The nodes of the cluster, as their workers last described them.';
COMMENT ON COLUMN cox.node.name IS 'The node''s name.';
COMMENT ON COLUMN cox.node.drained IS 'A person keeps new work away: cox resume NODE.';
COMMENT ON COLUMN cox.node.responding IS 'Heard from within node_timeout.';
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
COMMENT ON COLUMN cox.node.state IS
  'UP, DRAIN or DOWN (not responding); follows from the columns behind.';

CREATE TABLE cox.qos (
  name text PRIMARY KEY,
  tier integer NOT NULL,
  preemptable boolean NOT NULL,
  checkpoint boolean NOT NULL,
  grace_ms bigint NOT NULL CHECK (grace_ms >= 0)
);
COMMENT ON TABLE cox.qos IS 'The tiers of jobs: quality of service.';
COMMENT ON COLUMN cox.qos.name IS 'The name that --qos gives.';
COMMENT ON COLUMN cox.qos.tier IS 'A higher tier is served first and may preempt a lower one.';
COMMENT ON COLUMN cox.qos.preemptable IS 'Whether its jobs may be preempted at all.';
COMMENT ON COLUMN cox.qos.checkpoint IS 'Asked to save when preempted; false: stopped at once.';
COMMENT ON COLUMN cox.qos.grace_ms IS 'Milliseconds to save in, before SIGTERM.';

INSERT INTO cox.qos (name, tier, preemptable, checkpoint, grace_ms) VALUES
  ('critical', 3, false, true, 60000),
  ('standard', 2, true, true, 60000),
  ('besteffort', 1, true, false, 0);

CREATE TABLE cox.turn (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  term bigint NOT NULL,
  turn bigint NOT NULL,
  session bigint NOT NULL,
  job_id_floor bigint NOT NULL,
  taken_at timestamptz
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

INSERT INTO cox.turn (term, turn, session, job_id_floor) VALUES (0, 0, 0, 1);

CREATE TABLE cox.schema_version (
  version integer PRIMARY KEY,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE cox.schema_version IS 'The migrations this database has had.';
COMMENT ON COLUMN cox.schema_version.version IS 'Number of the migration.';
COMMENT ON COLUMN cox.schema_version.name IS 'Its file, without .sql.';
COMMENT ON COLUMN cox.schema_version.checksum IS
  'sha256 of its text: a migration never changes once it was applied.';
COMMENT ON COLUMN cox.schema_version.applied_at IS 'When it was applied.';
