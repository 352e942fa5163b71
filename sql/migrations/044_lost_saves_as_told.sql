-- The controller says in the outcome of an attempt that a save of it was lost (controller/ledger/lost_save.cpp): the
-- view takes that word, so that there is one rule. What a node has lost ends when its room was given back,
-- which may be before the attempt's end.
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
  'Attempts whose ranks saved and made no checkpoint of it, or were asked to save and did not, the '
  'newest first. Of job steps of srun that saved, the history has the steps.';

SELECT cox.grant_reader();
