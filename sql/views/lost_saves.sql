-- If an attempt's last save did not become a checkpoint, the controller writes that into the
-- attempt's outcome (controller/ledger/lost_save.cpp). This view selects by that text, so that both
-- follow one rule. The loss on a node is counted until the node was released, which may be before
-- the end of the attempt.
CREATE OR REPLACE VIEW cox.lost_saves AS
  SELECT a.job_id, a.attempt, j.name, j.user_name, nullif(a.stop_why, 'none') AS stop_why, a.ended_at,
         s.saved_steps, s.ranks_without, c.step AS committed_step,
         round(l.gpu_seconds)::bigint AS gpu_seconds, round(l.cpu_seconds)::bigint AS cpu_seconds
    FROM cox.attempt a
    JOIN cox.job j ON j.id = a.job_id
    CROSS JOIN LATERAL (
      SELECT max(k.step) AS step, max(k.committed_at) FILTER (WHERE k.attempt = a.attempt) AS at
        FROM cox.checkpoint k
        WHERE k.job_id = a.job_id AND k.attempt <= a.attempt) c
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_object_agg(r.rank, n.step) FILTER (WHERE n.step IS NOT NULL), '{}')
               AS saved_steps,
             coalesce(array_agg(r.rank ORDER BY r.rank) FILTER (WHERE n.step IS NULL), '{}')
               AS ranks_without
        FROM cox.rank r
        CROSS JOIN LATERAL (
          SELECT max(one) AS step FROM unnest(r.saved_step) one
            WHERE one > coalesce(c.step, -1)) n
        WHERE r.job_id = a.job_id AND r.attempt = a.attempt
          AND (j.checkpoint_by = 'all_ranks' OR r.rank = 0)) s
    CROSS JOIN LATERAL (
      SELECT sum(n.cpus * t.seconds) AS cpu_seconds, sum(cardinality(n.gpus) * t.seconds) AS gpu_seconds
        FROM cox.attempt_node n
        CROSS JOIN LATERAL (
          SELECT greatest(0, least(
              extract(epoch FROM cox.run_time(a)),
              extract(epoch FROM coalesce(n.given_back_at, a.ended_at) - coalesce(c.at, a.went_at))))
            AS seconds) t
        WHERE n.job_id = a.job_id AND n.attempt = a.attempt) l
    WHERE a.ended_at IS NOT NULL AND a.went_at IS NOT NULL
      AND a.outcome LIKE '%its save did not become a checkpoint: %'
    ORDER BY a.ended_at DESC, a.job_id, a.attempt DESC;
COMMENT ON VIEW cox.lost_saves IS
  'Attempts whose ranks saved without a checkpoint being committed, or were asked to save and did not; the '
  'newest first. For job steps of srun that saved, the history shows the training steps.';
COMMENT ON COLUMN cox.lost_saves.job_id IS 'The job.';
COMMENT ON COLUMN cox.lost_saves.attempt IS 'The attempt.';
COMMENT ON COLUMN cox.lost_saves.name IS 'The job''s name.';
COMMENT ON COLUMN cox.lost_saves.user_name IS 'The job''s user.';
COMMENT ON COLUMN cox.lost_saves.stop_why IS 'Why the attempt was ordered to stop; null: it was not.';
COMMENT ON COLUMN cox.lost_saves.ended_at IS 'When the attempt ended.';
COMMENT ON COLUMN cox.lost_saves.saved_steps IS
  'The newest step that each rank saved, by rank: {"0": 10, "1": 11}. Only steps newer than '
  'committed_step.';
COMMENT ON COLUMN cox.lost_saves.ranks_without IS 'The ranks that saved no such step.';
COMMENT ON COLUMN cox.lost_saves.committed_step IS
  'The newest step of the job that was committed until then; null: none.';
COMMENT ON COLUMN cox.lost_saves.gpu_seconds IS
  'GPU-seconds that the attempt ran since its last checkpoint, or since its start.';
COMMENT ON COLUMN cox.lost_saves.cpu_seconds IS 'CPU-seconds, likewise.';
