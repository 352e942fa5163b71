-- Inserts or updates steps. Guarded: a step that has ended never changes.
WITH changed AS (
  INSERT INTO cox.step AS r
    SELECT w.* FROM unnest($1::cox.step[]) AS w
    ON CONFLICT (job_id, attempt, number) DO UPDATE SET
      state = excluded.state, node_list = excluded.node_list, node_tasks = excluded.node_tasks,
      node_cpus = excluded.node_cpus, node_memory_mb = excluded.node_memory_mb,
      node_gpus = excluded.node_gpus, node_phase = excluded.node_phase, tasks = excluded.tasks,
      started_at = excluded.started_at, ended_at = excluded.ended_at,
      exit_code = excluded.exit_code, exit_signal = excluded.exit_signal,
      stopping = excluded.stopping, timed_out = excluded.timed_out,
      out_of_memory = excluded.out_of_memory, user_cpu_ms = excluded.user_cpu_ms,
      system_cpu_ms = excluded.system_cpu_ms, max_rss_kb = excluded.max_rss_kb, why = excluded.why,
      exited_tasks = excluded.exited_tasks, rss_kb = excluded.rss_kb,
      read_bytes = excluded.read_bytes, written_bytes = excluded.written_bytes,
      most_rss_kb = excluded.most_rss_kb, most_rss_task = excluded.most_rss_task,
      most_read_bytes = excluded.most_read_bytes, most_read_task = excluded.most_read_task,
      most_written_bytes = excluded.most_written_bytes,
      most_written_task = excluded.most_written_task,
      least_cpu_ms = excluded.least_cpu_ms, least_cpu_task = excluded.least_cpu_task,
      asked_to_stop = excluded.asked_to_stop
    WHERE r.ended_at IS NULL
  RETURNING 1)
SELECT cox.expect_rows('step', cardinality($1), (SELECT count(*) FROM changed));
