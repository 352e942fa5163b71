-- An operator can set a node DOWN: it gets no new work, and its jobs are ended.
ALTER TABLE cox.node
  ADD COLUMN set_down boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT node_set_down CHECK (drained OR NOT set_down);
COMMENT ON COLUMN cox.node.set_down IS
  'An operator set it DOWN, and its jobs were ended or requeued: scontrol update NodeName=NODE '
  'State=RESUME.';
COMMENT ON COLUMN cox.node_event.what IS
  'What: not responding, returned, drained, down, resumed, failure, forgiven, fence, fenced.';
