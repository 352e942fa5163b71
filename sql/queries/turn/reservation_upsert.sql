-- Inserts or updates advance reservations.
INSERT INTO cox.reservation
  SELECT w.* FROM unnest($1::cox.reservation[]) AS w
  ON CONFLICT (name) DO UPDATE SET
    begin_at = excluded.begin_at, end_at = excluded.end_at, recurrence = excluded.recurrence,
    nodes = excluded.nodes, nodes_asked = excluded.nodes_asked, node_count = excluded.node_count,
    features = excluded.features, tres = excluded.tres, partition = excluded.partition,
    users = excluded.users, accounts = excluded.accounts, qos = excluded.qos,
    maint = excluded.maint, magnetic = excluded.magnetic, flex = excluded.flex,
    overlap = excluded.overlap, ignore_jobs = excluded.ignore_jobs,
    changed_at = excluded.changed_at, changed_by = excluded.changed_by,
    static_alloc = excluded.static_alloc, replace_down = excluded.replace_down,
    purge_idle_s = excluded.purge_idle_s;
