CREATE OR REPLACE FUNCTION cox.minutes_text(tres text[], seconds double precision[])
  RETURNS text LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog AS $$
  SELECT coalesce(string_agg(u.tres || '=' || round(u.seconds / 60), ',' ORDER BY u.tres), '')
    FROM unnest(minutes_text.tres, minutes_text.seconds) AS u (tres, seconds)
$$;
COMMENT ON FUNCTION cox.minutes_text(text[], double precision[]) IS
  'Formats usage like limits in minutes: cpu=120,gres/gpu=60,wall=60.';
