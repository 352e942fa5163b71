-- Accounts and users that are no more.
WITH gone AS (DELETE FROM cox.association WHERE id = ANY ($1::bigint[]) RETURNING 1)
SELECT cox.expect_rows('association', cardinality($1::bigint[]), (SELECT count(*) FROM gone));
