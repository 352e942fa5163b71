-- Partitions whose state has changed.
INSERT INTO cox.partition (name, state, reason, changed_at)
  SELECT w.name, w.state, w.reason, w.changed_at FROM unnest($1::cox.partition[]) AS w
  ON CONFLICT (name) DO UPDATE SET
    state = excluded.state, reason = excluded.reason, changed_at = excluded.changed_at;
