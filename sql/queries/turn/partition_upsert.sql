-- Inserts or updates partitions that were made, or whose state has changed.
INSERT INTO cox.partition (name, state, reason, changed_at, made_with)
  SELECT w.name, w.state, w.reason, w.changed_at, w.made_with
    FROM unnest($1::cox.partition[]) AS w
  ON CONFLICT (name) DO UPDATE SET
    state = excluded.state, reason = excluded.reason, changed_at = excluded.changed_at,
    made_with = excluded.made_with;
