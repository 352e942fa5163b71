-- Sets, for the transaction that applies a migration or functions and views: it may change tables
-- that otherwise only turns change, and create functions before the functions that they call.
SELECT set_config('cox.writer', 'migration', true), set_config('check_function_bodies', 'off', true);
