-- Stores the next job id ($3) at an orderly stop. Changes nothing unless $1 and $2 are the current term
-- and turn. Waits for a turn in flight; if that commits, $2 is not the current turn.
UPDATE cox.turn SET stopped_turn = turn, next_job = $3 WHERE term = $1 AND turn = $2 RETURNING turn;
