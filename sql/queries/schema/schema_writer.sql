-- Sets, for the transaction that applies a migration or functions and views: it may change tables
-- that otherwise only turns change, and create functions before the functions that they call. It
-- waits for the lock of a table or view for at most 5 s, since all later readers wait behind it.
SELECT set_config('cox.writer', 'migration', true), set_config('check_function_bodies', 'off', true),
       set_config('lock_timeout', '5s', true);
