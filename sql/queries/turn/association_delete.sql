-- Deletes accounts and users. Guarded: every row must exist.
WITH gone AS (DELETE FROM cox.association WHERE id = ANY ($1::bigint[]) RETURNING 1)
SELECT cox.expect_rows('association', cardinality($1::bigint[]), (SELECT count(*) FROM gone));
