-- What shows that a worker comes from another place than the one before it.

ALTER TABLE cox.node ADD COLUMN spool_id text NOT NULL DEFAULT '';
COMMENT ON COLUMN cox.node.spool_id IS
  'The identity of the spool folder of its worker, random and made with the folder; empty: not known. '
  'A worker with another one is served only when nothing of the one before can run any more.';
