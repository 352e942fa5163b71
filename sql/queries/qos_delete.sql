-- Tiers that are no more.
WITH gone AS (DELETE FROM cox.qos WHERE name = ANY ($1::text[]) RETURNING 1)
SELECT cox.expect_rows('qos', cardinality($1::text[]), (SELECT count(*) FROM gone));
