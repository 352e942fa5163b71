-- Inserts attempts that began in this turn.
INSERT INTO cox.attempt (
    job_id, attempt, master_port, resume_attempt, resume_step, stop_why, stop_ask_checkpoint,
    stop_grace_ms, stop_kill_wait_ms, stop_detail, began_at, went_at, stop_asked_at, ended_at,
    outcome, time_limit_s, fills, suspension, suspended, suspended_at, suspended_ms, resumed_at,
    partition, resume_job, progress_step, progress_total, progress_at, progress_first_step,
    progress_first_at, metric_name, metric_value, finished, saves_set_aside,
    resume_job_step, resume_command_hash)
  SELECT
    w.job_id, w.attempt, w.master_port, w.resume_attempt, w.resume_step, w.stop_why,
    w.stop_ask_checkpoint, w.stop_grace_ms, w.stop_kill_wait_ms, w.stop_detail, w.began_at,
    w.went_at, w.stop_asked_at, w.ended_at, w.outcome, w.time_limit_s, w.fills, w.suspension,
    w.suspended, w.suspended_at, w.suspended_ms, w.resumed_at, w.partition, w.resume_job,
    w.progress_step, w.progress_total, w.progress_at, w.progress_first_step, w.progress_first_at,
    w.metric_name, w.metric_value, w.finished, w.saves_set_aside, w.resume_job_step,
    w.resume_command_hash
  FROM unnest($1::cox.attempt[]) AS w;
