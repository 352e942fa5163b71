-- Returns the term of the newest leader that this database, which has the schema, has recorded.
SELECT term FROM cox.turn;
