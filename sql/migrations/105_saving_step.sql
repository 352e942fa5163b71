-- Which step of srun saved a checkpoint, since only a step with the same command resumes from it.

ALTER TABLE cox.step ADD COLUMN command_hash text NOT NULL DEFAULT '';
COMMENT ON COLUMN cox.step.command_hash IS
  'Hash of the program and its arguments, as srun was given them; empty: not known.';

ALTER TABLE cox.checkpoint ADD COLUMN job_step integer NOT NULL DEFAULT -1;
COMMENT ON COLUMN cox.checkpoint.job_step IS
  'Number of the step of srun that saved it; -1: the job''s ranks or its script, or not known.';
ALTER TABLE cox.checkpoint ADD COLUMN command_hash text NOT NULL DEFAULT '';
COMMENT ON COLUMN cox.checkpoint.command_hash IS
  'command_hash of the step that saved it: only a step with the same one resumes from it; empty: any.';

ALTER TABLE cox.attempt ADD COLUMN resume_job_step integer NOT NULL DEFAULT -1;
COMMENT ON COLUMN cox.attempt.resume_job_step IS
  'job_step of the job''s own checkpoint from which it resumes.';
ALTER TABLE cox.attempt ADD COLUMN resume_command_hash text NOT NULL DEFAULT '';
COMMENT ON COLUMN cox.attempt.resume_command_hash IS
  'command_hash of the job''s own checkpoint from which it resumes.';
