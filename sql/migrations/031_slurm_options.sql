-- What else jobs are asked for in Slurm's words; and allocations, which run nothing by themselves.
ALTER TYPE cox.job_form ADD VALUE 'allocation';
COMMENT ON COLUMN cox.job.form IS
  'gang: the command is started as every rank. batch: the script runs once, on the first node. '
  'allocation: nothing runs but the steps of whoever asked for it (salloc, srun).';

ALTER TABLE cox.job
  ADD COLUMN exclude text[] NOT NULL DEFAULT '{}',
  ADD COLUMN memory_mb_per_cpu bigint NOT NULL DEFAULT 0,
  ADD COLUMN memory_mb_per_gpu bigint NOT NULL DEFAULT 0,
  ADD COLUMN gpus bigint NOT NULL DEFAULT 0,
  ADD COLUMN gpus_per_task bigint NOT NULL DEFAULT 0,
  ADD COLUMN cpus_per_gpu bigint NOT NULL DEFAULT 0,
  ADD COLUMN tasks_per_gpu bigint NOT NULL DEFAULT 0,
  ADD COLUMN whole_memory boolean NOT NULL DEFAULT false,
  ADD COLUMN comment text NOT NULL DEFAULT '',
  ADD COLUMN wckey text NOT NULL DEFAULT '',
  ADD COLUMN mail_type text NOT NULL DEFAULT '',
  ADD COLUMN mail_user text NOT NULL DEFAULT '',
  ADD COLUMN command_path text NOT NULL DEFAULT '',
  ADD COLUMN stored_options text[] NOT NULL DEFAULT '{}';
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
