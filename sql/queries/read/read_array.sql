-- Returns the states and ends of an array's rows; no row if $1 is not an array.
SELECT id AS row_id, state AS row_state, exit_code AS row_exit_code,
       exit_signal AS row_exit_signal, array_task, array_tasks,
       ended_at AS row_ended
  FROM cox.job WHERE array_job = $1 AND array_job > 0
  ORDER BY id;
