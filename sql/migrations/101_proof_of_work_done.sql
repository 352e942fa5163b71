-- What proves that the work of a job is done, and that a checkpoint is complete.

ALTER TABLE cox.attempt ADD COLUMN finished boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN cox.attempt.finished IS
  'It said that the job''s work is done (cox checkpoint finished), so exit code 0 after a request to '
  'stop means COMPLETED.';

ALTER TABLE cox.rank ADD COLUMN saved_by_exit boolean[] NOT NULL DEFAULT '{}';
ALTER TABLE cox.rank ADD COLUMN asked_to_stop boolean;
UPDATE cox.rank SET saved_by_exit = array_fill(false, ARRAY[cardinality(saved_step)])
  WHERE cardinality(saved_step) > 0;
ALTER TABLE cox.rank ADD CONSTRAINT rank_saved_by_exit_is_parallel
  CHECK (cardinality(saved_step) = cardinality(saved_by_exit));
COMMENT ON COLUMN cox.rank.saved_by_exit IS
  'Whether each of the saved steps rests on exit code 75 alone, without a report (cox checkpoint done).';
COMMENT ON COLUMN cox.rank.asked_to_stop IS
  'Whether its node had been ordered to stop the attempt before the rank exited; null: not known.';

ALTER TABLE cox.checkpoint ADD COLUMN by_exit boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN cox.checkpoint.by_exit IS
  'It rests on exit codes alone: a rank did not report it, but exited with 75. Older checkpoints are '
  'kept until an attempt has resumed from it and committed a newer one.';

ALTER TABLE cox.checkpoint ADD COLUMN damaged_in integer NOT NULL DEFAULT 0;
ALTER TABLE cox.checkpoint ADD COLUMN set_aside boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN cox.checkpoint.damaged IS
  'A node has read its files, and they differ from what was sealed. No attempt uses it until a node has '
  'looked at it again.';
COMMENT ON COLUMN cox.checkpoint.damaged_in IS
  'The attempt that found it damaged; 0: it is not, or the next attempt is to look at it again.';
COMMENT ON COLUMN cox.checkpoint.set_aside IS
  'Its owner let the job begin anew without it (cox release --begin-anew). Its files are kept.';

ALTER TABLE cox.step ADD COLUMN asked_to_stop boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN cox.step.asked_to_stop IS
  'On one of its nodes the tasks were asked to stop before they ended, or that is not known, so exit '
  'code 0 does not mean COMPLETED.';
