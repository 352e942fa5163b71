-- Opens a cursor on the rows of jobs that a controller needs in memory; fetch_jobs reads it. First
-- part: jobs that have not ended, or ended since $1. Second part: other ended jobs. These are the
-- jobs on which the dependency of a job is not decided yet, or is decided but not yet shown as
-- DependencyNeverSatisfied, and rows of arrays that have a job of the first part. The rows are not
-- sorted, which would be slow. load_specs reads what jobs ask for, once for all jobs that ask for
-- the same. $2: from the first part, reads only rows that this transaction (count_jobs returned it)
-- or a later one wrote, since the controller has the others. Empty: reads all. xmin is the number
-- of the writing transaction without the epoch; age() compares such numbers even after a
-- wraparound.
DECLARE loaded_jobs NO SCROLL CURSOR FOR
SELECT id, state, attempt, held, why, submitted_at, eligible_at, started_at, ended_at, exit_code,
       exit_signal, restarts, avoid_nodes, request_id, dependency_kind, dependency_on,
       dependency_delay_s, dependency_never, array_job, array_task, array_tasks, array_limit,
       dependency_task, held_why, spec_digest, identity, uid
  FROM (
    SELECT * FROM cox.job
      WHERE (ended_at IS NULL OR ended_at >= $1::timestamptz)
        AND ($2::text = '' OR age(xmin) <= age(nullif($2::text, '')::xid8::xid))
    UNION ALL
    SELECT * FROM cox.job
      WHERE ended_at < $1::timestamptz
        AND id IN (
          WITH awaited AS (
            SELECT d.id FROM cox.job AS j
              CROSS JOIN LATERAL unnest(j.dependency_on, j.dependency_never) AS d(id, never)
              LEFT JOIN cox.job_wait AS w
                ON w.job_id = j.id AND w.reason = 'DependencyNeverSatisfied'
              WHERE j.ended_at IS NULL AND j.dependency_on <> '{}'
                AND (NOT d.never OR w.job_id IS NULL))
          SELECT id FROM awaited
          UNION
          SELECT task.id FROM (
              SELECT id FROM awaited
              UNION
              SELECT array_job FROM cox.job WHERE ended_at IS NULL AND array_job > 0
              UNION
              SELECT array_job FROM cox.job
                WHERE ended_at >= $1::timestamptz AND array_job > 0) AS family
            -- OFFSET 0 forces an index scan for each array (family); else the planner may join all
            -- with all.
            CROSS JOIN LATERAL (
              SELECT t.id FROM cox.job AS t
                WHERE t.array_job = family.id AND t.array_job > 0 OFFSET 0) AS task)) AS loaded;
