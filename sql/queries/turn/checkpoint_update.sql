-- Updates checkpoints. Guarded: every checkpoint must exist.
WITH changed AS (
  UPDATE cox.checkpoint AS r SET
    bytes = w.bytes, files = w.files, committed_at = w.committed_at, damaged = w.damaged,
    pruned = w.pruned, removed_at = w.removed_at, by_exit = w.by_exit,
    damaged_in = w.damaged_in, set_aside = w.set_aside, job_step = w.job_step,
    command_hash = w.command_hash
  FROM unnest($1::cox.checkpoint[]) AS w
  WHERE r.job_id = w.job_id AND r.attempt = w.attempt AND r.step = w.step
  RETURNING 1)
SELECT cox.expect_rows('checkpoint', cardinality($1), (SELECT count(*) FROM changed));
