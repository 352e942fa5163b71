-- Returns the migrations that were applied to this database.
SELECT version, checksum FROM cox.schema_version ORDER BY version;
