-- Inserts or updates nodes. Rows that have not changed are not written.
INSERT INTO cox.node AS r (
    name, drained, responding, reason, cpus, memory_mb, features, gpu_index, gpu_type,
    gpu_uuid, address, log_endpoint, log_key, boot_id, version, changed_at,
    gres, gpu_island, weight, drained_by, returned_at, failure_jobs, failure_at,
    set_down, reason_by, spool_id)
  SELECT
    w.name, w.drained, w.responding, w.reason, w.cpus, w.memory_mb, w.features,
    w.gpu_index, w.gpu_type, w.gpu_uuid, w.address, w.log_endpoint,
    w.log_key, w.boot_id, w.version, w.changed_at, w.gres, w.gpu_island,
    w.weight, w.drained_by, w.returned_at, w.failure_jobs, w.failure_at,
    w.set_down, w.reason_by, w.spool_id
  FROM unnest($1::cox.node[]) AS w
  ON CONFLICT (name) DO UPDATE SET
    drained = excluded.drained, responding = excluded.responding, reason = excluded.reason,
    cpus = excluded.cpus, memory_mb = excluded.memory_mb, features = excluded.features,
    gpu_index = excluded.gpu_index, gpu_type = excluded.gpu_type, gpu_uuid = excluded.gpu_uuid,
    address = excluded.address, log_endpoint = excluded.log_endpoint,
    log_key = excluded.log_key, boot_id = excluded.boot_id, version = excluded.version,
    changed_at = excluded.changed_at, gres = excluded.gres,
    gpu_island = excluded.gpu_island, weight = excluded.weight,
    drained_by = excluded.drained_by, returned_at = excluded.returned_at,
    failure_jobs = excluded.failure_jobs, failure_at = excluded.failure_at,
    set_down = excluded.set_down, reason_by = excluded.reason_by,
    spool_id = excluded.spool_id
  WHERE (
    r.drained, r.responding, r.reason, r.cpus, r.memory_mb, r.features, r.gpu_index,
    r.gpu_type, r.gpu_uuid, r.address, r.log_endpoint, r.log_key, r.boot_id, r.version,
    r.changed_at, r.gres, r.gpu_island, r.weight, r.drained_by, r.returned_at,
    r.failure_jobs, r.failure_at, r.set_down, r.reason_by, r.spool_id)
  IS DISTINCT FROM (
    excluded.drained, excluded.responding, excluded.reason, excluded.cpus, excluded.memory_mb,
    excluded.features, excluded.gpu_index, excluded.gpu_type, excluded.gpu_uuid,
    excluded.address, excluded.log_endpoint, excluded.log_key, excluded.boot_id,
    excluded.version, excluded.changed_at, excluded.gres, excluded.gpu_island,
    excluded.weight, excluded.drained_by, excluded.returned_at, excluded.failure_jobs,
    excluded.failure_at, excluded.set_down, excluded.reason_by,
    excluded.spool_id);
