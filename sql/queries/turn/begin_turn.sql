-- First in every turn: raises CX001 unless term, turn and session are ours. Whether its COMMIT waits for
-- a replica.
SELECT cox.begin_turn($1, $2, $3), current_setting('synchronous_standby_names') <> '' AS synchronous;
