-- Inserts or updates ranks of attempts. Rows that have not changed are not written.
INSERT INTO cox.rank AS r (
    job_id, attempt, rank, phase, exit_code, exit_signal, started_at, ended_at, saved_step,
    saved_bytes, saved_files, saved_after_stop, output_from, error_from,
    saved_by_exit, asked_to_stop, save_unknown)
  SELECT
    w.job_id, w.attempt, w.rank, w.phase, w.exit_code, w.exit_signal, w.started_at, w.ended_at,
    w.saved_step, w.saved_bytes, w.saved_files,
    w.saved_after_stop, w.output_from, w.error_from, w.saved_by_exit, w.asked_to_stop,
    w.save_unknown
  FROM unnest($1::cox.rank[]) AS w
  ON CONFLICT (job_id, attempt, rank) DO UPDATE SET
    phase = excluded.phase, exit_code = excluded.exit_code, exit_signal = excluded.exit_signal,
    started_at = excluded.started_at, ended_at = excluded.ended_at,
    saved_step = excluded.saved_step, saved_bytes = excluded.saved_bytes,
    saved_files = excluded.saved_files, saved_after_stop = excluded.saved_after_stop,
    output_from = excluded.output_from, error_from = excluded.error_from,
    saved_by_exit = excluded.saved_by_exit, asked_to_stop = excluded.asked_to_stop,
    save_unknown = excluded.save_unknown
  WHERE (
    r.phase, r.exit_code, r.exit_signal, r.started_at, r.ended_at, r.saved_step, r.saved_bytes,
    r.saved_files, r.saved_after_stop, r.output_from, r.error_from, r.saved_by_exit,
    r.asked_to_stop, r.save_unknown)
  IS DISTINCT FROM (
    excluded.phase, excluded.exit_code, excluded.exit_signal, excluded.started_at,
    excluded.ended_at, excluded.saved_step, excluded.saved_bytes, excluded.saved_files,
    excluded.saved_after_stop, excluded.output_from, excluded.error_from,
    excluded.saved_by_exit, excluded.asked_to_stop, excluded.save_unknown);
