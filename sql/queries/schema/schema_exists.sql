-- Whether any migration was ever applied here.
SELECT to_regclass('cox.schema_version') IS NOT NULL;
