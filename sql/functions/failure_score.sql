-- Each failure counts 1; its weight halves every hour.
CREATE OR REPLACE FUNCTION cox.failure_score(failure_at timestamptz[], at timestamptz) RETURNS double precision
  LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(power(0.5, greatest(extract(epoch FROM at - one), 0) / 3600)), 0)
    FROM unnest(failure_at) AS one
$$;
COMMENT ON FUNCTION cox.failure_score(timestamptz[], timestamptz) IS
  'The failure score of a node at a time; see the settings failures_to_avoid and failures_to_drain.';
