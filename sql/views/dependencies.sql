-- If one of the two jobs is not an array, aftercorr acts as afterok; the requested kind is shown.
CREATE OR REPLACE VIEW cox.dependencies AS
  SELECT j.id AS job_id, j.name, j.user_name,
         CASE WHEN d.kind = 'afterok' AND d.on_task = -1
                   AND 'aftercorr:' || d.on_job = ANY (regexp_split_to_array(j.dependency, '[,?]'))
                   AND 'afterok:' || d.on_job <> ALL (regexp_split_to_array(j.dependency, '[,?]'))
              THEN 'aftercorr'::cox.dependency_kind ELSE d.kind END AS kind,
         CASE WHEN d.kind = 'singleton' THEN o.id ELSE d.on_job END AS on_job,
         o.state AS on_state, d.delay_s, d.never, nullif(d.on_task, -1) AS on_task,
         cox.command_id(j.id, j.array_job, j.array_task, j.array_tasks) AS job,
         cox.command_id(o.id, o.array_job, o.array_task, o.array_tasks) AS on_row,
         o.user_name AS on_user, o.name AS on_name, d.due_at
    FROM (
      SELECT j.id, j.dependency_kind[w.place] AS kind, j.dependency_on[w.place] AS on_job,
             j.dependency_delay_s[w.place] AS delay_s, j.dependency_never[w.place] AS never,
             j.dependency_task[w.place] AS on_task, NULL::timestamptz AS due_at, w.decided_by
        FROM cox.deciding_rows() w
        JOIN cox.job j ON j.id = w.job_id
      UNION ALL
      SELECT j.id, 'after', t.on_job, t.delay_s, false, t.on_task, t.due_at, t.decided_by
        FROM cox.job j
        CROSS JOIN LATERAL cox.delays_of(j) AS t
        WHERE j.ended_at IS NULL AND j.eligible_at > now()) AS d
    JOIN cox.job j ON j.id = d.id
    LEFT JOIN cox.job o ON o.id = d.decided_by
    ORDER BY j.id, 5, d.on_task;
COMMENT ON VIEW cox.dependencies IS 'The unmet dependencies of pending jobs.';
COMMENT ON COLUMN cox.dependencies.job_id IS 'The job that waits.';
COMMENT ON COLUMN cox.dependencies.name IS 'Its name.';
COMMENT ON COLUMN cox.dependencies.user_name IS 'The job''s user.';
COMMENT ON COLUMN cox.dependencies.kind IS
  'The requested kind of dependency. If one of the two jobs is not an array, aftercorr acts as '
  'afterok.';
COMMENT ON COLUMN cox.dependencies.on_job IS
  'The other job or array; for a singleton, the first earlier job of the same name and user.';
COMMENT ON COLUMN cox.dependencies.on_state IS
  'The state of on_row.';
COMMENT ON COLUMN cox.dependencies.delay_s IS 'Seconds to wait after the other job has begun.';
COMMENT ON COLUMN cox.dependencies.never IS 'It can never be met.';
COMMENT ON COLUMN cox.dependencies.on_task IS
  'The task of the other array; null: all tasks, or on_job is not an array.';
COMMENT ON COLUMN cox.dependencies.job IS 'The job that waits, as commands show it: 17_4.';
COMMENT ON COLUMN cox.dependencies.on_row IS
  'The row that decides the dependency now, as commands show it. For a whole array: a task that has not '
  'begun (after), that has failed (afterok), or else one that has not ended. aftercorr: the same as '
  'afterok, among the tasks with the numbers of the waiting tasks.';
COMMENT ON COLUMN cox.dependencies.on_user IS 'The user of on_row.';
COMMENT ON COLUMN cox.dependencies.on_name IS 'The name of on_row.';
COMMENT ON COLUMN cox.dependencies.due_at IS
  'If the other job has begun: when delay_s is over. Null: it has not begun.';
