-- Held while migrations are applied, so that two controllers do not do it at once.
SELECT pg_advisory_lock(hashtext('cox.schema_version'));
