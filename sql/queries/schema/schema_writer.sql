-- In the transaction of a migration, or of functions and views: it may change what the controller alone
-- writes, and functions may come before those that they call.
SELECT set_config('cox.writer', 'migration', true), set_config('check_function_bodies', 'off', true);
