-- What a job asks for of accounts, advance reservations and arrays; and which tasks a row stands for.
ALTER TABLE cox.job
  ADD COLUMN account text NOT NULL DEFAULT '',
  ADD COLUMN reservation text NOT NULL DEFAULT '',
  ADD COLUMN array_asked text NOT NULL DEFAULT '',
  ADD COLUMN array_job bigint NOT NULL DEFAULT 0 CHECK (array_job >= 0),
  ADD COLUMN array_task bigint NOT NULL DEFAULT -1 CHECK (array_task >= -1),
  ADD COLUMN array_tasks text NOT NULL DEFAULT '',
  ADD COLUMN array_limit bigint NOT NULL DEFAULT 0 CHECK (array_limit >= 0);
COMMENT ON COLUMN cox.job.account IS 'Whom it is charged to; empty: there are no accounts.';
COMMENT ON COLUMN cox.job.reservation IS 'The advance reservation it asked for; empty: none.';
COMMENT ON COLUMN cox.job.array_asked IS 'What it asked for with --array; empty: it is a job alone.';
COMMENT ON COLUMN cox.job.array_job IS 'The id of its array, that of the first row; 0: none.';
COMMENT ON COLUMN cox.job.array_task IS 'Which task of it this is; -1: none, or several.';
COMMENT ON COLUMN cox.job.array_tasks IS
  'The tasks that the row stands for, while they do not differ: 4-999.';
COMMENT ON COLUMN cox.job.array_limit IS
  'So many tasks may run at once; in the first row of an array; 0: any number.';

ALTER TYPE cox.job_move
  ADD ATTRIBUTE array_job bigint,
  ADD ATTRIBUTE array_task bigint,
  ADD ATTRIBUTE array_tasks text,
  ADD ATTRIBUTE array_limit bigint;
