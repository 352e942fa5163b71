-- Inserts scripts and environments that are not stored yet.
INSERT INTO cox.blob (hash, content)
  SELECT w.hash, w.content FROM unnest($1::text[], $2::bytea[]) AS w(hash, content)
  ON CONFLICT (hash) DO NOTHING;
