-- Who drained a node or set it DOWN stands beside the reason, as Slurm shows it.
ALTER TABLE cox.node
  ADD COLUMN reason_by text NOT NULL DEFAULT '';
COMMENT ON COLUMN cox.node.reason_by IS
  'Who drained it or set it DOWN, as the actor in cox.node_event; of no drain empty.';
