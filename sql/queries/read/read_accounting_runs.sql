-- Returns the attempts of the jobs with these ids ($1): all of them if $2 is true, else the newest
-- of each job.
SELECT a.job_id, a.attempt, a.partition, a.began_at, a.went_at, a.ended_at,
       CASE WHEN a.suspended THEN a.suspended_at[cardinality(a.suspended_at)] END AS suspended_since,
       a.suspended_ms, a.stop_why, a.time_limit_s, coalesce(n.node_list, '{}') AS node_list,
       coalesce(n.cpus, 0) AS cpus, coalesce(n.memory_mb, 0) AS memory_mb,
       coalesce(n.gpu_milli, 0) AS gpu_milli, f.cpus AS first_cpus, f.memory_mb AS first_memory_mb,
       cardinality(f.gpus) * f.gpu_milli::bigint AS first_gpu_milli, r.exit_code, r.exit_signal,
       r.ended_at AS rank_ended_at, coalesce(n.user_cpu_ms, 0) AS user_cpu_ms,
       coalesce(n.system_cpu_ms, 0) AS system_cpu_ms, coalesce(n.max_rss_kb, 0) AS max_rss_kb
  FROM unnest($1::bigint[]) AS w(id)
  JOIN cox.job AS j ON j.id = w.id
  JOIN cox.attempt AS a ON a.job_id = j.id AND ($2::boolean OR a.attempt = j.attempt)
  CROSS JOIN LATERAL (
    SELECT array_agg(each.node ORDER BY each.position) AS node_list,
           sum(each.cpus)::bigint AS cpus, sum(each.memory_mb)::bigint AS memory_mb,
           sum(cardinality(each.gpus) * each.gpu_milli)::bigint AS gpu_milli,
           sum(each.user_cpu_ms)::bigint AS user_cpu_ms,
           sum(each.system_cpu_ms)::bigint AS system_cpu_ms, max(each.max_rss_kb) AS max_rss_kb
      FROM cox.attempt_node AS each
      WHERE each.job_id = a.job_id AND each.attempt = a.attempt) AS n
  LEFT JOIN cox.attempt_node AS f
    ON f.job_id = a.job_id AND f.attempt = a.attempt AND f.position = 0
  LEFT JOIN cox.rank AS r ON r.job_id = a.job_id AND r.attempt = a.attempt AND r.rank = 0
  ORDER BY a.job_id, a.attempt;
