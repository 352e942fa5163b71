-- Saves that did not become a checkpoint: cox.rank has which rank saved which step, and this view has
-- the attempts for which that matters, with what was lost.
CREATE VIEW cox.lost_saves AS
  SELECT a.job_id, a.attempt, j.name, j.user_name, nullif(a.stop_why, 'none') AS stop_why, a.ended_at,
         s.saved_steps, s.ranks_without, c.step AS committed_step,
         round(l.seconds * g.gpus)::bigint AS gpu_seconds,
         round(l.seconds * g.cpus)::bigint AS cpu_seconds
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
      SELECT greatest(0, least(extract(epoch FROM cox.run_time(a)),
                               extract(epoch FROM a.ended_at - coalesce(c.at, a.went_at)))) AS seconds) l
    CROSS JOIN LATERAL (
      SELECT sum(n.cpus) AS cpus, sum(cardinality(n.gpus)) AS gpus FROM cox.attempt_node n
        WHERE n.job_id = a.job_id AND n.attempt = a.attempt) g
    WHERE a.ended_at IS NOT NULL AND a.went_at IS NOT NULL
      AND NOT (j.state IN ('COMPLETED', 'CANCELLED') AND j.attempt = a.attempt)
      AND (s.saved_steps <> '{}'
           OR (a.stop_ask_checkpoint AND (c.at IS NULL OR c.at < a.stop_asked_at)
               AND (j.checkpoint_signal <> 0 OR j.signal_number <> 0 OR j.requeue_on_timeout
                    OR j.checkpoint_by = 'rank0')))
    ORDER BY a.ended_at DESC, a.job_id, a.attempt DESC;
COMMENT ON VIEW cox.lost_saves IS
  'Attempts whose ranks saved and made no checkpoint of it, or were asked to save and did not, the '
  'newest first. Job steps of srun that saved are in the history alone.';
COMMENT ON COLUMN cox.lost_saves.job_id IS 'The job.';
COMMENT ON COLUMN cox.lost_saves.attempt IS 'The attempt.';
COMMENT ON COLUMN cox.lost_saves.name IS 'The job''s name.';
COMMENT ON COLUMN cox.lost_saves.user_name IS 'The job''s user.';
COMMENT ON COLUMN cox.lost_saves.stop_why IS 'Why the attempt was asked to stop; null: it was not.';
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

SELECT cox.grant_reader();
