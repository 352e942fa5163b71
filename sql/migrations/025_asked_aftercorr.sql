-- Where one of two jobs is no array, aftercorr is judged as afterok; what was asked for is shown.
CREATE OR REPLACE VIEW cox.dependencies AS
  SELECT j.id AS job_id, j.name, j.user_name,
         CASE WHEN d.kind = 'afterok' AND d.on_task = -1
                   AND 'aftercorr:' || d.on_job = ANY (regexp_split_to_array(j.dependency, '[,?]'))
                   AND 'afterok:' || d.on_job <> ALL (regexp_split_to_array(j.dependency, '[,?]'))
              THEN 'aftercorr'::cox.dependency_kind ELSE d.kind END AS kind,
         nullif(d.on_job, 0) AS on_job, o.state AS on_state, d.delay_s, d.never,
         nullif(d.on_task, -1) AS on_task
    FROM cox.job j
    CROSS JOIN LATERAL unnest(j.dependency_kind, j.dependency_on, j.dependency_delay_s,
                              j.dependency_never, j.dependency_task)
      AS d(kind, on_job, delay_s, never, on_task)
    LEFT JOIN cox.job o ON o.id = d.on_job
    WHERE j.ended_at IS NULL
    ORDER BY j.id, d.on_job, d.on_task;
COMMENT ON COLUMN cox.dependencies.kind IS
  'What it waits for of the other, as it was asked for: aftercorr is as afterok where one of them is '
  'no array.';
SELECT cox.grant_reader();
