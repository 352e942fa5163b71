-- Returns whether any migration was ever applied to this database.
SELECT to_regclass('cox.schema_version') IS NOT NULL;
