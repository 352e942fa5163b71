-- Tiers that are no more. The trigger lets go what this turn says.
WITH allowed AS (SELECT set_config('cox.removes_qos', 'on', true) AS so),
gone AS (
  DELETE FROM cox.qos USING allowed
    WHERE name = ANY ($1::text[]) AND allowed.so = 'on' RETURNING 1)
SELECT cox.expect_rows('qos', cardinality($1::text[]), (SELECT count(*) FROM gone));
