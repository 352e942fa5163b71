-- Returns what `cox doctor` checks of the server, and of the rights of the controller's role.
SELECT current_setting('server_version') AS server_version,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS clock_ms,
    to_regclass('cox.schema_version') IS NOT NULL AS has_schema,
    NOT pg_is_in_recovery()
      AND current_setting('transaction_read_only') = 'off'
      AND coalesce(has_schema_privilege(to_regnamespace('cox'), 'CREATE'),
                   has_database_privilege(current_database(), 'CREATE')) AS writable;
