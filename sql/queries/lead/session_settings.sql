-- What the controller's connections rely on, whatever the server's defaults are. Plans of prepared
-- statements are made once and kept: those made while the tables were small would read them whole
-- ever after. All we do is done by key. What the controller writes it has judged itself, and warned of.
-- A host that dies in the midst of sending a turn leaves a backend that waits for the rest, and holds the
-- row of cox.turn: no timeout of PostgreSQL's counts there, so the server is to notice by TCP. (A Unix
-- socket has no such end, and takes no such setting.)
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
