CREATE OR REPLACE VIEW cox.estimate_accuracy AS
  SELECT count(*) AS starts,
         percentile_cont(0.5) WITHIN GROUP (ORDER BY error_s) AS error_s_median,
         percentile_cont(0.9) WITHIN GROUP (ORDER BY error_s) AS error_s_p90,
         avg((error_s <= greatest(60, wait_s / 10))::integer) AS close_share
    FROM (SELECT abs(extract(epoch FROM actual_at - estimated_at))::double precision AS error_s,
                 extract(epoch FROM actual_at - made_at)::double precision AS wait_s
            FROM cox.start_estimate) AS estimates;
COMMENT ON VIEW cox.estimate_accuracy IS
  'How good the first estimates of starts were, over all starts that were told before.';
COMMENT ON COLUMN cox.estimate_accuracy.starts IS 'Starts that had been told before.';
COMMENT ON COLUMN cox.estimate_accuracy.error_s_median IS
  'Seconds by which half of the estimates were off, or less; null without any.';
COMMENT ON COLUMN cox.estimate_accuracy.error_s_p90 IS
  'Seconds by which nine of ten estimates were off, or less.';
COMMENT ON COLUMN cox.estimate_accuracy.close_share IS
  'The part that was off by a tenth of the wait or a minute at most.';
