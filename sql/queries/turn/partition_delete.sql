-- Partitions that were made while the cluster ran, and are deleted.
DELETE FROM cox.partition WHERE name = ANY ($1::text[]);
