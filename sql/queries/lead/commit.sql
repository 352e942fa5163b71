-- Ends the taking of a term, or a load.
COMMIT;
