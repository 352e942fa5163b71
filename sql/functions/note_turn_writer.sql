-- A restore that only fills the existing tables again leaves no other trace.
CREATE OR REPLACE FUNCTION cox.note_turn_writer()
  RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  NEW.written_by := pg_current_xact_id();
  RETURN NEW;
END $$;
COMMENT ON FUNCTION cox.note_turn_writer() IS
  'Sets cox.turn.written_by, which shows whether the row was restored from a backup.';

CREATE OR REPLACE TRIGGER note_turn_writer BEFORE UPDATE ON cox.turn
  FOR EACH ROW EXECUTE FUNCTION cox.note_turn_writer();
