-- Updates the state of jobs; job_respecify writes what they ask for. Guarded: every row must still
-- have the state and attempt that it had before the change, or the whole turn is undone.
WITH changed AS (
  UPDATE cox.job AS r SET
    state = w.state, attempt = w.attempt, held = w.held, why = w.why,
    eligible_at = w.eligible_at, started_at = w.started_at, ended_at = w.ended_at,
    exit_code = w.exit_code, exit_signal = w.exit_signal, restarts = w.restarts,
    avoid_nodes = w.avoid_nodes, dependency_kind = w.dependency_kind,
    dependency_on = w.dependency_on, dependency_delay_s = w.dependency_delay_s,
    dependency_never = w.dependency_never, array_job = w.array_job,
    array_task = w.array_task, array_tasks = w.array_tasks, array_limit = w.array_limit,
    dependency_task = w.dependency_task, held_why = w.held_why
  FROM unnest($1::cox.job_move[]) AS w
  WHERE r.id = w.id
    AND r.state = w.state_left AND r.attempt = w.attempt_left
  RETURNING 1)
SELECT cox.expect_rows('job', cardinality($1), (SELECT count(*) FROM changed));
