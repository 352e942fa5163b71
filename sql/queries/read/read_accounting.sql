-- Returns a page of jobs by sacct's filters. $1: only ids above this one. $2: ids of jobs or arrays;
-- $3, $4: tasks of arrays; $5 to $11: users, accounts, partitions, QOSes, names, nodes, states; $12, $13:
-- begin and end of the time window, null: open; $14: the most rows. An empty list filters nothing.
SELECT j.*, coalesce(w.reason, '') AS wait_reason,
       CASE WHEN j.state = 'CANCELLED' THEN (
         SELECT e.actor FROM cox.job_event AS e
           WHERE e.job_id = j.id AND e.attempt = j.attempt AND e.actor LIKE 'user %'
             AND e.what IN ('state', 'stop') AND e.state <> 'PENDING'
           ORDER BY e.sequence DESC LIMIT 1) END AS ended_by
  FROM cox.job AS j
  LEFT JOIN cox.job_wait AS w ON w.job_id = j.id AND j.state = 'PENDING'
  WHERE j.id > $1::bigint
    AND (cardinality($2::bigint[]) = 0 AND cardinality($3::bigint[]) = 0
         OR j.id = ANY ($2) OR j.array_job > 0 AND j.array_job = ANY ($2)
         OR j.array_job > 0 AND j.array_job = ANY ($3)
            AND EXISTS (SELECT FROM unnest($3::bigint[], $4::bigint[]) AS t(array_job, task)
                          WHERE t.array_job = j.array_job
                            AND t.task IN (SELECT cox.tasks_of(j.array_tasks, j.array_task))))
    AND (cardinality($5::text[]) = 0 OR j.user_name = ANY ($5))
    AND (cardinality($6::text[]) = 0 OR j.account = ANY ($6))
    AND (cardinality($7::text[]) = 0 OR coalesce(
           (SELECT nullif(a.partition, '') FROM cox.attempt AS a
              WHERE a.job_id = j.id AND a.attempt = j.attempt), j.partition) = ANY ($7))
    AND (cardinality($8::text[]) = 0 OR j.qos = ANY ($8))
    AND (cardinality($9::text[]) = 0 OR j.name = ANY ($9))
    AND (cardinality($10::text[]) = 0 OR EXISTS (
           SELECT FROM cox.attempt_node AS n WHERE n.job_id = j.id AND n.node = ANY ($10)))
    AND ($12::timestamptz IS NULL OR j.ended_at IS NULL OR j.ended_at >= $12)
    AND ($13::timestamptz IS NULL OR j.submitted_at <= $13)
    AND (cardinality($11::text[]) = 0
         OR 'PENDING' = ANY ($11)
            AND ($12 IS NULL OR coalesce(j.started_at, j.ended_at, 'infinity') >= $12)
         OR 'RUNNING' = ANY ($11) AND j.started_at IS NOT NULL
            AND ($13 IS NULL OR j.started_at <= $13)
         OR j.state::text = ANY ($11)
            AND ($13 IS NULL OR j.ended_at IS NULL OR j.ended_at <= $13))
  ORDER BY j.id
  LIMIT $14::bigint;
