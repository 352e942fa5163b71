-- Takes the lock that a controller holds while it applies migrations, so that only one applies
-- them. Another controller waits for the lock for at most 10 minutes (lock_timeout), and then
-- fails. It waits only for a holder that makes progress: the server ends a holder's session that is
-- idle for 5 s, and soon after that one whose host is gone (by the TCP settings, which a Unix
-- socket ignores).
SELECT set_config('idle_session_timeout', '5s', false),
       set_config('idle_in_transaction_session_timeout', '5s', false),
       set_config('tcp_keepalives_idle', '5', false),
       set_config('tcp_keepalives_interval', '2', false),
       set_config('tcp_keepalives_count', '3', false),
       set_config('tcp_user_timeout', '10000', false),
       set_config('lock_timeout', '10min', true),
       pg_advisory_lock(hashtext('cox.schema_version'));
