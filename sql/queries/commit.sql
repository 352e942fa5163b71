-- Makes the turn true.
COMMIT;
