-- The history of nodes is as the history of jobs: nobody rewrites it. It is kept for a year: what is older
-- goes as new events come (sql/queries/node_event_insert.sql).
CREATE FUNCTION cox.refuse_to_rewrite_node_history()
  RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at < now() - interval '1 year' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'cox.node_event is append-only'
    USING ERRCODE = '23001', HINT = 'Only what is older than a year may be deleted.';
END $$;
COMMENT ON FUNCTION cox.refuse_to_rewrite_node_history() IS
  'Keeps cox.node_event append-only, but for what is older than a year.';
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON cox.node_event
  FOR EACH ROW EXECUTE FUNCTION cox.refuse_to_rewrite_node_history();
COMMENT ON TABLE cox.node_event IS
  'What became of nodes, append-only. What is older than a year goes as new events of the node come.';

COMMENT ON COLUMN cox.failover.turns_lost IS
  'Transactions of the controller that were told to be true and are gone, at least. 0: none of what '
  'the leader that went on had been told, and nobody else can have led meanwhile. null: nobody who '
  'could know it was left to compare.';
COMMENT ON COLUMN cox.failover.found_at IS
  'When that was found, but never before an attempt had begun by the clock of who led until then.';
