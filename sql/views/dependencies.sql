-- Where one of the two jobs is no array, aftercorr is treated as afterok; the kind that was asked
-- for is shown.
CREATE OR REPLACE VIEW cox.dependencies AS
  SELECT j.id AS job_id, j.name, j.user_name,
         CASE WHEN d.kind = 'afterok' AND d.on_task = -1
                   AND 'aftercorr:' || d.on_job = ANY (regexp_split_to_array(j.dependency, '[,?]'))
                   AND 'afterok:' || d.on_job <> ALL (regexp_split_to_array(j.dependency, '[,?]'))
              THEN 'aftercorr'::cox.dependency_kind ELSE d.kind END AS kind,
         CASE WHEN d.kind = 'singleton' THEN o.id ELSE d.on_job END AS on_job,
         o.state AS on_state, d.delay_s, d.never, nullif(d.on_task, -1) AS on_task,
         cox.told_id(j.id, j.array_job, j.array_task, j.array_tasks) AS job,
         cox.told_id(o.id, o.array_job, o.array_task, o.array_tasks) AS on_row,
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
COMMENT ON VIEW cox.dependencies IS 'What waiting jobs still wait for of other jobs.';
COMMENT ON COLUMN cox.dependencies.job_id IS 'The job that waits.';
COMMENT ON COLUMN cox.dependencies.name IS 'Its name.';
COMMENT ON COLUMN cox.dependencies.user_name IS 'Whose job it is.';
COMMENT ON COLUMN cox.dependencies.kind IS
  'What it waits for of the other, as it was asked for: aftercorr is as afterok where one of them is '
  'no array.';
COMMENT ON COLUMN cox.dependencies.on_job IS
  'The other job, or array; of a singleton the first of the earlier ones of its name.';
COMMENT ON COLUMN cox.dependencies.on_state IS
  'Where on_row stands.';
COMMENT ON COLUMN cox.dependencies.delay_s IS 'Seconds to wait behind its begin.';
COMMENT ON COLUMN cox.dependencies.never IS 'It can never come true any more.';
COMMENT ON COLUMN cox.dependencies.on_task IS
  'The task of the other array; null: all of them, or it is none.';
COMMENT ON COLUMN cox.dependencies.job IS 'The job that waits, as commands show it: 17_4.';
COMMENT ON COLUMN cox.dependencies.on_row IS
  'What decides it, as commands show it. Of an array as a whole for after a task that has not begun, '
  'for afterok one that has ended otherwise than well, else one that has not ended; for aftercorr the '
  'same, of its partners alone.';
COMMENT ON COLUMN cox.dependencies.on_user IS 'Whose that is.';
COMMENT ON COLUMN cox.dependencies.on_name IS 'What it is called.';
COMMENT ON COLUMN cox.dependencies.due_at IS
  'Where the other has begun and so long has yet to pass: when it has. Null: the other has not.';
