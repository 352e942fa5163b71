-- The UPDATE keeps the row locked until the turn commits: a second controller, or this one after it
-- lost its connection, waits here and then finds out.
CREATE OR REPLACE FUNCTION cox.begin_turn(our_term bigint, our_turn bigint, our_session bigint)
  RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  found_row cox.turn;
BEGIN
  UPDATE cox.turn SET turn = our_turn
    WHERE term = our_term AND session = our_session AND turn = our_turn - 1;
  IF FOUND THEN
    PERFORM set_config('cox.writer', 'turn', true);  -- until the transaction ends
    RETURN;
  END IF;
  SELECT * INTO found_row FROM cox.turn;
  RAISE EXCEPTION
    'superseded: we are at term % turn % session %, the database at term % turn % session %',
    our_term, our_turn, our_session, found_row.term, found_row.turn, found_row.session
    USING ERRCODE = 'CX001';
END $$;
COMMENT ON FUNCTION cox.begin_turn(bigint, bigint, bigint) IS
  'First in every turn: raises CX001 unless term, turn and session are ours. Then the turn may write.';
REVOKE ALL ON FUNCTION cox.begin_turn FROM PUBLIC;
