-- Exports the jobs of a period in the format that `cox simulate` reads. The administrator sets the
-- period:
--
--   psql coxswain --csv -v from='2026-03-02' -v to='2026-03-03' -f day.sql > day.csv
--
-- Times are seconds since 1970. run_s is the run time of all attempts of the job, without the time
-- that they were suspended. Jobs that are left out are listed on standard error, each with the
-- reason.
SELECT j.id AS job_id,
       extract(epoch FROM coalesce(j.eligible_at, j.submitted_at)) AS eligible,
       extract(epoch FROM greatest(min(a.went_at), j.eligible_at, j.submitted_at)) AS started,
       extract(epoch FROM j.ended_at) AS ended,
       sum(extract(epoch FROM cox.run_time(a))) AS run_s,
       greatest(j.nodes, 1) AS nodes,
       greatest(j.tasks, j.nodes, 1) AS tasks,
       j.cpus_per_task,
       j.memory_mb_per_node AS memory_mb,
       j.gpus_per_node AS gpus,
       j.gpu_type,
       j.time_limit_s,
       q.tier,
       j.partition,
       j.required_feature AS "constraint",
       j.gpu_milli,
       j.account,
       j.user_name AS "user",
       j.preferred_feature AS prefer,
       j.min_cpus,
       j.contiguous::integer AS contiguous
  FROM cox.job j
  JOIN cox.qos q ON q.name = j.qos
  JOIN cox.attempt a ON a.job_id = j.id
  WHERE a.went_at IS NOT NULL AND a.ended_at > a.went_at
    AND j.ended_at IS NOT NULL
    AND j.submitted_at >= :'from' AND j.submitted_at < :'to'
  GROUP BY j.id, q.tier
  HAVING j.ended_at >= greatest(min(a.went_at), j.eligible_at, j.submitted_at)
  ORDER BY eligible, job_id;

SELECT j.id AS job_left_out, j.state,
       CASE WHEN j.ended_at IS NULL THEN 'it has not ended'
            WHEN r.started_at IS NULL THEN 'it never ran, so its run time is unknown'
            ELSE 'it ended before it started: the clock was set back' END AS why
  FROM cox.job j
  CROSS JOIN LATERAL (
    SELECT min(a.went_at) AS started_at FROM cox.attempt a
      WHERE a.job_id = j.id AND a.went_at IS NOT NULL AND a.ended_at > a.went_at) r
  WHERE (j.ended_at IS NULL OR r.started_at IS NULL
         OR j.ended_at < greatest(r.started_at, j.eligible_at, j.submitted_at))
    AND j.submitted_at >= :'from' AND j.submitted_at < :'to'
  ORDER BY j.id
  \g |cat >&2
