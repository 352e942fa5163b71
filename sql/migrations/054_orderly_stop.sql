-- A controller that is stopped in order says which job id comes next, so that ids go on without a gap.
ALTER TABLE cox.turn
  ADD COLUMN stopped_turn bigint,
  ADD COLUMN next_job bigint CHECK (next_job > 0);
COMMENT ON COLUMN cox.turn.stopped_turn IS
  'The last turn when a controller was last stopped in order. While it equals turn, nothing was '
  'written since. Null: never.';
COMMENT ON COLUMN cox.turn.next_job IS
  'The next job id, by that controller: all lower ones may have been issued.';
