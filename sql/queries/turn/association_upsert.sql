-- Inserts or updates accounts and their users.
INSERT INTO cox.association SELECT * FROM unnest($1::cox.association[])
ON CONFLICT (id) DO UPDATE SET
  parent = EXCLUDED.parent, shares = EXCLUDED.shares,
  shares_of_parent = EXCLUDED.shares_of_parent, is_default = EXCLUDED.is_default,
  qos = EXCLUDED.qos, default_qos = EXCLUDED.default_qos, description = EXCLUDED.description,
  organization = EXCLUDED.organization, grp_tres = EXCLUDED.grp_tres,
  grp_jobs = EXCLUDED.grp_jobs, grp_submit_jobs = EXCLUDED.grp_submit_jobs,
  grp_tres_mins = EXCLUDED.grp_tres_mins, grp_wall_s = EXCLUDED.grp_wall_s,
  max_tres_per_job = EXCLUDED.max_tres_per_job,
  max_tres_mins_per_job = EXCLUDED.max_tres_mins_per_job, max_jobs = EXCLUDED.max_jobs,
  max_submit_jobs = EXCLUDED.max_submit_jobs, max_wall_s = EXCLUDED.max_wall_s,
  usage_tres = EXCLUDED.usage_tres, usage_seconds = EXCLUDED.usage_seconds,
  usage_at = EXCLUDED.usage_at, guarantee = EXCLUDED.guarantee, deserved = EXCLUDED.deserved,
  coordinators = EXCLUDED.coordinators;
