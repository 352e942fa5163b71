-- The expression follows the wording of schedule/explain/limited.cpp.
CREATE OR REPLACE FUNCTION cox.limit_in(detail text, OUT owner text, OUT name text, OUT most text,
                             OUT used text)
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog AS $$
  SELECT concat_ws(', ', coalesce(m[1], m[3]), CASE WHEN m[1] IS NOT NULL THEN m[3] END), m[2],
         m[4], m[5]
    FROM (SELECT regexp_match(detail,
            '^(?:([^:]+): )?((?:Grp|Max|Array)[A-Za-z]+(?: (?!of )[^ ]+(?: \(hours [^)]+\))?)?'
            '|what it (?:deserves|keeps) of [^ ,]+(?:, for work that never gives way,)?)'
            '(?: of ((?:user|array) [^ ]+))? is ([^:]+): (.+), and it asks for [^,]+$') AS m) AS found
    WHERE m IS NOT NULL
$$;
COMMENT ON FUNCTION cox.limit_in(text) IS
  'Whose limit a detail of cox.job_wait tells of, which, what it is, and who has what of it; nulls '
  'where it tells of none.';
