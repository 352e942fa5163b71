-- Inserts checkpoints that were committed in this turn.
INSERT INTO cox.checkpoint (
    job_id, attempt, step, bytes, files, committed_at, damaged, pruned, removed_at)
  SELECT
    w.job_id, w.attempt, w.step, w.bytes, w.files, w.committed_at, w.damaged, w.pruned,
    w.removed_at
  FROM unnest($1::cox.checkpoint[]) AS w;
