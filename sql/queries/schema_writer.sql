-- In the transaction of a migration: it may change what the controller alone writes.
SELECT set_config('cox.writer', 'migration', true);
