-- Partitions that are made while the cluster runs (scontrol create partition).
ALTER TABLE cox.partition ADD COLUMN made_with text[] NOT NULL DEFAULT '{}';
COMMENT ON TABLE cox.partition IS
  'Partitions that were made while the cluster runs, and those of the configuration whose state '
  'somebody has changed; others are UP.';
COMMENT ON COLUMN cox.partition.name IS 'The partition.';
COMMENT ON COLUMN cox.partition.made_with IS
  'The settings of a partition that was made while the cluster runs, by Slurm''s names, such as '
  'Nodes=n[1-2]. Empty: it stands in the configuration, which also wins if both have the name.';
SELECT cox.grant_reader();
