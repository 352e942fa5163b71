-- Inserts or updates nodes of attempts. Rows that have not changed are not written.
INSERT INTO cox.attempt_node AS r (
    job_id, attempt, position, node, phase, first_rank, ranks, cpus, memory_mb, gpus, revision,
    note, gpu_milli, suspension, user_cpu_ms, system_cpu_ms, max_rss_kb,
    component, given_back_at)
  SELECT
    w.job_id, w.attempt, w.position, w.node, w.phase, w.first_rank, w.ranks, w.cpus,
    w.memory_mb, w.gpus, w.revision, w.note, w.gpu_milli, w.suspension,
    w.user_cpu_ms, w.system_cpu_ms, w.max_rss_kb, w.component,
    w.given_back_at
  FROM unnest($1::cox.attempt_node[]) AS w
  ON CONFLICT (job_id, attempt, position) DO UPDATE SET
    node = excluded.node, phase = excluded.phase, first_rank = excluded.first_rank,
    ranks = excluded.ranks, cpus = excluded.cpus, memory_mb = excluded.memory_mb,
    gpus = excluded.gpus, revision = excluded.revision, note = excluded.note,
    gpu_milli = excluded.gpu_milli, suspension = excluded.suspension,
    user_cpu_ms = excluded.user_cpu_ms, system_cpu_ms = excluded.system_cpu_ms,
    max_rss_kb = excluded.max_rss_kb, component = excluded.component,
    given_back_at = excluded.given_back_at
  WHERE (
    r.node, r.phase, r.first_rank, r.ranks, r.cpus, r.memory_mb, r.gpus, r.revision, r.note,
    r.gpu_milli, r.suspension, r.user_cpu_ms, r.system_cpu_ms, r.max_rss_kb,
    r.component, r.given_back_at)
  IS DISTINCT FROM (
    excluded.node, excluded.phase, excluded.first_rank, excluded.ranks, excluded.cpus,
    excluded.memory_mb, excluded.gpus, excluded.revision, excluded.note,
    excluded.gpu_milli, excluded.suspension, excluded.user_cpu_ms, excluded.system_cpu_ms,
    excluded.max_rss_kb, excluded.component, excluded.given_back_at);
