-- The row of a node keeps who drained it or set it DOWN, which sinfo -R and scontrol show.
ALTER TABLE cox.node
  ADD COLUMN reason_by text NOT NULL DEFAULT '';
COMMENT ON COLUMN cox.node.reason_by IS
  'Who drained it or set it DOWN, as the actor in cox.node_event; of no drain empty.';
