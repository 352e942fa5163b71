-- Scripts and environments are kept by SHA-256 and user. Rows from before keep their keys: the jobs name them.
COMMENT ON TABLE cox.blob IS
  'Scripts and environments, each stored once for each user by its content. Environments may hold secrets.';
COMMENT ON COLUMN cox.blob.hash IS
  'The key: sha256:UID:HEX. 32 hex digits alone: the xxh3-128 of the content, by an older version.';
