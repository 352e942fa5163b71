-- What became of nodes.
INSERT INTO cox.node_event (node, at, what, why, actor)
  SELECT w.node, w.at, w.what, w.why, w.actor FROM unnest($1::cox.node_event[]) AS w;
