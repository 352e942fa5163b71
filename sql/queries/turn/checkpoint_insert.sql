-- Inserts checkpoints that were committed in this turn.
INSERT INTO cox.checkpoint (
    job_id, attempt, step, bytes, files, committed_at, damaged, pruned, removed_at,
    by_exit, damaged_in, set_aside, job_step, command_hash)
  SELECT
    w.job_id, w.attempt, w.step, w.bytes, w.files, w.committed_at, w.damaged, w.pruned,
    w.removed_at, w.by_exit, w.damaged_in, w.set_aside, w.job_step,
    w.command_hash
  FROM unnest($1::cox.checkpoint[]) AS w;
