-- Each failure counts one, and half as much each hour later.
CREATE OR REPLACE FUNCTION cox.failure_score(failure_at timestamptz[], at timestamptz) RETURNS double precision
  LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(power(0.5, greatest(extract(epoch FROM at - one), 0) / 3600)), 0)
    FROM unnest(failure_at) AS one
$$;
COMMENT ON FUNCTION cox.failure_score(timestamptz[], timestamptz) IS
  'What the failures of a node come to at a time: see failures_to_avoid and failures_to_drain.';
