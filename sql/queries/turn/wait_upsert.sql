-- Inserts or updates pending reasons.
INSERT INTO cox.job_wait AS r
  SELECT w.* FROM unnest($1::cox.job_wait[]) AS w
  ON CONFLICT (job_id) DO UPDATE SET
    reason = excluded.reason, detail = excluded.detail, lines = excluded.lines,
    expected_start_at = excluded.expected_start_at, first_judged_at = excluded.first_judged_at,
    last_judged_at = excluded.last_judged_at, first_estimate_at = excluded.first_estimate_at,
    first_estimate_made_at = excluded.first_estimate_made_at, priority = excluded.priority,
    priority_of_age = excluded.priority_of_age, age_full_s = excluded.age_full_s;
