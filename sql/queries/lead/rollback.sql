-- After a refused statement of a taking of a term, or of a load.
ROLLBACK;
