-- Jobs not ended, or ended lately; and those by whose end somebody who waits for it has not been
-- judged yet, or has not been told that it waits in vain, or that are of an array with tasks that have
-- not ended, or lately: of these the row is enough. fetch_jobs reads them, in no
-- order: a million rows are sorted slowly here. What they ask for is read by load_specs, once for all
-- that ask for the same. $2: of the first kind only those that this transaction or a later one has
-- written; the others are known (count_jobs told it then). Empty: none is. A row's xmin is its writer's
-- number, without the epoch; age() compares it however often the numbers have begun anew.
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
            -- For each, whatever the statistics are (OFFSET 0): else all tasks may be joined with all.
            CROSS JOIN LATERAL (
              SELECT t.id FROM cox.job AS t
                WHERE t.array_job = family.id AND t.array_job > 0 OFFSET 0) AS task)) AS loaded;
