-- Ends the transaction of a new term, or of a load, after one of its statements has failed.
ROLLBACK;
