-- Records that a migration was applied.
INSERT INTO cox.schema_version (version, name, checksum)
  VALUES ($1::integer, $2, encode(sha256(convert_to($3::text, 'UTF8')), 'hex'));
