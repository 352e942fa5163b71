CREATE OR REPLACE FUNCTION cox.refuse_to_rewrite_node_history()
  RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at < now() - interval '1 year' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'cox.node_event is append-only'
    USING ERRCODE = '23001', HINT = 'Only events older than a year may be deleted.';
END $$;
COMMENT ON FUNCTION cox.refuse_to_rewrite_node_history() IS
  'Keeps cox.node_event append-only; only events older than a year may be deleted.';

CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE ON cox.node_event
  FOR EACH ROW EXECUTE FUNCTION cox.refuse_to_rewrite_node_history();
