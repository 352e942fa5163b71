-- Sets what the controller's connections need, whatever the server's defaults are. Plans of
-- prepared statements are made once and kept. Sequential scans and hash and merge joins are off,
-- since plans made while the tables are small would use them for ever; all queries are by key.
-- Warnings are off, since the controller has validated what it writes. A host that dies while it
-- sends a turn leaves a backend that waits for the rest of the turn and holds the lock of the row
-- of cox.turn. No timeout of PostgreSQL applies there, so the TCP settings let the server detect
-- that the host is gone. (They have no effect on a Unix socket, where this cannot happen.)
SELECT set_config('TimeZone', 'UTC', false),
       set_config('DateStyle', 'ISO, YMD', false),
       set_config('bytea_output', 'hex', false),
       set_config('search_path', 'pg_catalog', false),
       set_config('synchronous_commit', 'on', false),
       set_config('lock_timeout', '10s', false),
       set_config('statement_timeout', '120s', false),
       set_config('idle_in_transaction_session_timeout', '60s', false),
       set_config('idle_session_timeout', '0', false),
       set_config('tcp_keepalives_idle', '5', false),
       set_config('tcp_keepalives_interval', '2', false),
       set_config('tcp_keepalives_count', '3', false),
       set_config('tcp_user_timeout', '10000', false),
       set_config('jit', 'off', false),
       set_config('client_min_messages', 'error', false),
       set_config('cursor_tuple_fraction', '1', false),
       set_config('plan_cache_mode', 'force_generic_plan', false),
       set_config('enable_seqscan', 'off', false),
       set_config('enable_hashjoin', 'off', false),
       set_config('enable_mergejoin', 'off', false);
