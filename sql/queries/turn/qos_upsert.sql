-- Inserts or updates QOSes.
INSERT INTO cox.qos SELECT * FROM unnest($1::cox.qos[])
ON CONFLICT (name) DO UPDATE SET
  tier = EXCLUDED.tier, preempt_mode = EXCLUDED.preempt_mode, grace_ms = EXCLUDED.grace_ms,
  preempt_weight = EXCLUDED.preempt_weight,
  preempt_exempt_time_s = EXCLUDED.preempt_exempt_time_s, grp_tres = EXCLUDED.grp_tres,
  grp_jobs = EXCLUDED.grp_jobs, grp_submit_jobs = EXCLUDED.grp_submit_jobs,
  max_tres_per_user = EXCLUDED.max_tres_per_user,
  max_jobs_per_user = EXCLUDED.max_jobs_per_user,
  max_submit_jobs_per_user = EXCLUDED.max_submit_jobs_per_user,
  max_tres_per_job = EXCLUDED.max_tres_per_job, min_tres_per_job = EXCLUDED.min_tres_per_job,
  max_wall_s = EXCLUDED.max_wall_s, grp_tres_mins = EXCLUDED.grp_tres_mins,
  grp_wall_s = EXCLUDED.grp_wall_s, kept_tres = EXCLUDED.kept_tres;
