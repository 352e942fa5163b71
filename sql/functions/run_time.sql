-- The time that an attempt was suspended does not count.
CREATE OR REPLACE FUNCTION cox.run_time(a cox.attempt) RETURNS interval LANGUAGE sql STABLE
  SET search_path = pg_catalog AS $$
  SELECT CASE WHEN a.went_at IS NOT NULL THEN greatest(interval '0',
    least(coalesce(a.ended_at, now()),
          CASE WHEN a.suspended THEN a.suspended_at[cardinality(a.suspended_at)] END)
    - a.went_at - a.suspended_ms * interval '1 millisecond') END
$$;
COMMENT ON FUNCTION cox.run_time(cox.attempt) IS
  'The run time of an attempt so far, without suspended time; null: it never ran.';
