-- Updates attempts. Guarded: every attempt must exist.
WITH changed AS (
  UPDATE cox.attempt AS r SET
    master_port = w.master_port, resume_attempt = w.resume_attempt,
    resume_step = w.resume_step, resume_job = w.resume_job,
    resume_job_step = w.resume_job_step, resume_command_hash = w.resume_command_hash,
    stop_why = w.stop_why,
    stop_ask_checkpoint = w.stop_ask_checkpoint, stop_grace_ms = w.stop_grace_ms,
    stop_kill_wait_ms = w.stop_kill_wait_ms, stop_detail = w.stop_detail,
    began_at = w.began_at, went_at = w.went_at, stop_asked_at = w.stop_asked_at,
    ended_at = w.ended_at, outcome = w.outcome, suspension = w.suspension,
    suspended = w.suspended, suspended_at = w.suspended_at, suspended_ms = w.suspended_ms,
    resumed_at = w.resumed_at, progress_step = w.progress_step,
    progress_total = w.progress_total, progress_at = w.progress_at,
    progress_first_step = w.progress_first_step, progress_first_at = w.progress_first_at,
    metric_name = w.metric_name, metric_value = w.metric_value,
    finished = w.finished, saves_set_aside = w.saves_set_aside
  FROM unnest($1::cox.attempt[]) AS w
  WHERE r.job_id = w.job_id AND r.attempt = w.attempt
  RETURNING 1)
SELECT cox.expect_rows('attempt', cardinality($1), (SELECT count(*) FROM changed));
