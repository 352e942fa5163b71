-- What the controller's connections rely on, whatever the server's defaults are.
SELECT set_config('TimeZone', 'UTC', false),
       set_config('DateStyle', 'ISO, YMD', false),
       set_config('bytea_output', 'hex', false),
       set_config('search_path', 'pg_catalog', false),
       set_config('synchronous_commit', 'on', false),
       set_config('lock_timeout', '10s', false),
       set_config('statement_timeout', '120s', false),
       set_config('idle_in_transaction_session_timeout', '60s', false),
       set_config('jit', 'off', false);
