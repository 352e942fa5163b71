-- Returns a page of the history of an array, row by row, after event $2. If $1 is not an array, returns
-- the history of that job. Two indexes return the rows and their events in this order, so a page reads
-- little more than it returns.
(SELECT e.*, j.id AS row_id, j.state AS row_state, j.exit_code AS row_exit_code,
        j.exit_signal AS row_exit_signal, j.array_task, j.array_tasks,
        j.ended_at AS row_ended
   FROM (SELECT id, state, exit_code, exit_signal, array_task, array_tasks, ended_at FROM cox.job
           WHERE array_job = $1 AND array_job > 0
             AND id >= coalesce((SELECT job_id FROM cox.job_event WHERE sequence = $2), 0)
           ORDER BY array_job, id) AS j
   CROSS JOIN LATERAL (
     SELECT * FROM cox.job_event
       WHERE job_id = j.id
         AND sequence > CASE WHEN j.id = (SELECT job_id FROM cox.job_event WHERE sequence = $2)
                             THEN $2 ELSE 0 END
       ORDER BY sequence
       LIMIT $3) AS e
   ORDER BY j.id, e.sequence
   LIMIT $3)
UNION ALL
(SELECT e.*, j.id, j.state, j.exit_code, j.exit_signal, -1::bigint, '', j.ended_at
   FROM cox.job AS j
   JOIN cox.job_event AS e ON e.job_id = j.id
   WHERE j.id = $1 AND j.array_job IS DISTINCT FROM j.id AND e.sequence > $2
   ORDER BY e.sequence
   LIMIT $3)
ORDER BY row_id, sequence;
