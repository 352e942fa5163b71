-- First in every turn: raises CX001 unless term, turn and session are ours.
SELECT cox.begin_turn($1, $2, $3);
