-- Deletes partitions that were made while the cluster ran.
DELETE FROM cox.partition WHERE name = ANY ($1::text[]);
