-- Deletes QOSes; cox.removes_qos makes the trigger keep_qos allow it. Guarded: every QOS must
-- exist.
WITH allowed AS (SELECT set_config('cox.removes_qos', 'on', true) AS so),
gone AS (
  DELETE FROM cox.qos USING allowed
    WHERE name = ANY ($1::text[]) AND allowed.so = 'on' RETURNING 1)
SELECT cox.expect_rows('qos', cardinality($1::text[]), (SELECT count(*) FROM gone));
