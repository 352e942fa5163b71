-- A statement that waits for this long is given up.
SELECT set_config('statement_timeout', $1, false);
