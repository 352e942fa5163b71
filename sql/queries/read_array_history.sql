-- A page of the history of all rows of an array; of a job that is none its own.
SELECT e.*, j.id AS row_id, j.state AS row_state, j.exit_code AS row_exit_code,
       j.exit_signal AS row_exit_signal, j.array_task, j.array_tasks
  FROM cox.job_event e
  JOIN cox.job j ON j.id = e.job_id
  WHERE e.job_id = ANY (ARRAY(
      SELECT $1::bigint
      UNION
      SELECT id FROM cox.job WHERE array_job = $1 AND array_job > 0))
    AND e.sequence > $2
  ORDER BY e.sequence
  LIMIT $3;
