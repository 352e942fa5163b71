CREATE OR REPLACE VIEW cox.progress AS
  SELECT j.id, j.name, j.user_name, j.state, a.attempt, a.progress_step AS step,
         nullif(a.progress_total, 0) AS total,
         CASE WHEN a.progress_total > 0
              THEN least(100, floor(100.0 * a.progress_step / a.progress_total))::integer
              END AS per_cent,
         r.per_second AS steps_per_second,
         CASE WHEN a.ended_at IS NULL AND a.progress_total > 0 AND r.per_second > 0
              THEN date_trunc('second', greatest(interval '0', make_interval(
                secs => least(1e9, greatest(0, a.progress_total - a.progress_step) / r.per_second))
                - (now() - a.progress_at))) END AS time_left,
         (SELECT jsonb_object_agg(m.name, m.value)
            FROM unnest(a.metric_name, a.metric_value) AS m(name, value)) AS metrics,
         a.progress_at AS said_at
    FROM cox.attempt a
    JOIN cox.job j ON j.id = a.job_id AND j.attempt = a.attempt
    CROSS JOIN LATERAL (
      SELECT CASE WHEN a.progress_step > a.progress_first_step AND a.progress_at > a.progress_first_at
                  THEN (a.progress_step - a.progress_first_step)
                       / extract(epoch FROM a.progress_at - a.progress_first_at)::float8
                  END AS per_second) r
    WHERE a.progress_at IS NOT NULL;
COMMENT ON VIEW cox.progress IS
  'Progress that jobs have reported (`cox progress`): training steps, rate, time left and metrics of the '
  'newest attempt of each job that has reported any.';
COMMENT ON COLUMN cox.progress.id IS 'The job.';
COMMENT ON COLUMN cox.progress.name IS 'The name of the job.';
COMMENT ON COLUMN cox.progress.user_name IS 'The job''s user.';
COMMENT ON COLUMN cox.progress.state IS 'The state of the job.';
COMMENT ON COLUMN cox.progress.attempt IS 'The newest attempt of the job, which reported it.';
COMMENT ON COLUMN cox.progress.step IS 'The newest training step that is done.';
COMMENT ON COLUMN cox.progress.total IS 'Total number of steps; null: not reported.';
COMMENT ON COLUMN cox.progress.per_cent IS 'Share of the steps that is done, in whole per cent; null: no total.';
COMMENT ON COLUMN cox.progress.steps_per_second IS 'Rate since the first step that this attempt reported.';
COMMENT ON COLUMN cox.progress.time_left IS 'Time left at that rate; null: no total, no rate, or the attempt has ended.';
COMMENT ON COLUMN cox.progress.metrics IS 'Reported metrics, by name; null: none.';
COMMENT ON COLUMN cox.progress.said_at IS 'When the newest report arrived.';
