-- At an orderly stop: the next job id ($3). Only if our term ($1) and the last turn that we know of ($2)
-- are the truth; a turn that is still in flight is waited for, and then it is not.
UPDATE cox.turn SET stopped_turn = turn, next_job = $3 WHERE term = $1 AND turn = $2 RETURNING turn;
