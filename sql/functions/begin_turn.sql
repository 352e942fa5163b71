-- The UPDATE locks the row until the turn commits. Another controller that begins a turn, or this
-- one over a new connection, waits here for the lock and then gets the error CX001.
CREATE OR REPLACE FUNCTION cox.begin_turn(our_term bigint, our_turn bigint, our_session bigint)
  RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  found_row cox.turn;
BEGIN
  UPDATE cox.turn SET turn = our_turn, turn_at = clock_timestamp()
    WHERE term = our_term AND session = our_session AND turn = our_turn - 1;
  IF FOUND THEN
    PERFORM set_config('cox.writer', 'turn', true);  -- true: set until the transaction ends
    RETURN;
  END IF;
  SELECT * INTO found_row FROM cox.turn;
  RAISE EXCEPTION
    'fenced: this controller is at term % turn % session %, the database at term % turn % session %',
    our_term, our_turn, our_session, found_row.term, found_row.turn, found_row.session
    USING ERRCODE = 'CX001';
END $$;
COMMENT ON FUNCTION cox.begin_turn(bigint, bigint, bigint) IS
  'First in every turn: raises CX001 unless the caller has the current term, turn and session; then the '
  'turn may write.';
REVOKE ALL ON FUNCTION cox.begin_turn FROM PUBLIC;
