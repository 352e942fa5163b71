-- Inserts events of nodes. For each node of them, also deletes up to two of its events that are
-- older than a year. So old events do not pile up, and no turn deletes many.
WITH old AS (
  SELECT o.sequence FROM (SELECT DISTINCT node FROM unnest($1::cox.node_event[])) w
    CROSS JOIN LATERAL (SELECT e.sequence, e.at FROM cox.node_event e WHERE e.node = w.node
                          ORDER BY e.sequence LIMIT 2) o
    WHERE o.at < now() - interval '1 year'
), forgotten AS (
  DELETE FROM cox.node_event e USING old WHERE e.sequence = old.sequence
)
INSERT INTO cox.node_event (node, at, what, why, actor)
  SELECT w.node, w.at, w.what, w.why, w.actor FROM unnest($1::cox.node_event[]) AS w;
