CREATE OR REPLACE VIEW cox.estimate_accuracy AS
  SELECT count(*) AS starts,
         percentile_cont(0.5) WITHIN GROUP (ORDER BY error_s) AS error_s_median,
         percentile_cont(0.9) WITHIN GROUP (ORDER BY error_s) AS error_s_p90,
         avg((error_s <= greatest(60, wait_s / 10))::integer) AS close_share
    FROM (SELECT abs(extract(epoch FROM actual_at - estimated_at))::double precision AS error_s,
                 extract(epoch FROM actual_at - made_at)::double precision AS wait_s
            FROM cox.start_estimate) AS estimates;
COMMENT ON VIEW cox.estimate_accuracy IS
  'Accuracy of the first estimate of each start, over all starts that had an estimate.';
COMMENT ON COLUMN cox.estimate_accuracy.starts IS 'Starts that had an estimate.';
COMMENT ON COLUMN cox.estimate_accuracy.error_s_median IS
  'Median error of the estimates, in seconds; null: there are none.';
COMMENT ON COLUMN cox.estimate_accuracy.error_s_p90 IS
  '90th percentile of the error, in seconds.';
COMMENT ON COLUMN cox.estimate_accuracy.close_share IS
  'Share of the estimates whose error was at most a tenth of the wait or a minute.';
