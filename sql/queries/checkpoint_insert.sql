-- Checkpoints committed in this turn.
INSERT INTO cox.checkpoint (
    job_id, attempt, step, bytes, files, committed_at, damaged, pruned)
  SELECT
    w.job_id, w.attempt, w.step, w.bytes, w.files, w.committed_at, w.damaged, w.pruned
  FROM unnest(
      $1::bigint[], $2::integer[], $3::bigint[], $4::bigint[], $5::bigint[], $6::timestamptz[],
      $7::boolean[], $8::boolean[]
    ) AS w(
      job_id, attempt, step, bytes, files, committed_at, damaged, pruned);
