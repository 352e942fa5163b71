-- Held while migrations are applied, so that two controllers do not do it at once. Whoever holds it works
-- or is gone: a session that stands still is ended after 5 s, one whose host is gone a little later. (A
-- Unix socket takes no setting of TCP's.) So who waits for it waits for work that goes on, and has a bound.
SELECT set_config('idle_session_timeout', '5s', false),
       set_config('idle_in_transaction_session_timeout', '5s', false),
       set_config('tcp_keepalives_idle', '5', false),
       set_config('tcp_keepalives_interval', '2', false),
       set_config('tcp_keepalives_count', '3', false),
       set_config('tcp_user_timeout', '10000', false),
       set_config('lock_timeout', '10min', true),
       pg_advisory_lock(hashtext('cox.schema_version'));
