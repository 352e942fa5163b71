-- After a refused statement.
ROLLBACK;
