-- The migrations this database has had.
SELECT version, checksum FROM cox.schema_version ORDER BY version;
