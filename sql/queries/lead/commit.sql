-- Commits the transaction in which a controller takes a new term, or loads.
COMMIT;
