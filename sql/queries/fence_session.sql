-- After a reconnection: waits for the old backend's row lock, bars what it has not yet begun, and
-- tells which turn was the last. No row: the term is not ours any more.
UPDATE cox.turn SET session = session + 1 WHERE term = $1 RETURNING turn, session;
