-- First statement of every turn: raises CX001 unless term, turn and session are those of this
-- controller. Also returns whether the COMMIT of the turn waits for a replica.
SELECT cox.begin_turn($1, $2, $3), current_setting('synchronous_standby_names') <> '' AS synchronous;
