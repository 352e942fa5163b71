CREATE OR REPLACE FUNCTION cox.priority_now(w cox.job_wait, eligible_at timestamptz)
  RETURNS double precision LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
  SELECT round(w.priority + CASE WHEN w.age_full_s > 0
    THEN w.priority_of_age * greatest(0, least(1, extract(epoch FROM now() - eligible_at)
                                                  / w.age_full_s)) ELSE 0 END)
$$;
COMMENT ON FUNCTION cox.priority_now(cox.job_wait, timestamptz) IS
  'The present priority of a pending job inside its QOS, with the part that its age adds.';
