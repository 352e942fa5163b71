-- The regular expression matches the texts that schedule/explain/limited.cpp writes.
CREATE OR REPLACE FUNCTION cox.limit_in(detail text, OUT owner text, OUT name text, OUT most text,
                             OUT used text)
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog AS $$
  SELECT concat_ws(', ', coalesce(m[1], m[3]), CASE WHEN m[1] IS NOT NULL THEN m[3] END), m[2],
         m[4], m[5]
    FROM (SELECT regexp_match(detail,
            '^(?:([^:]+): )?((?:Grp|Max|Array|Kept)[A-Za-z]+(?: (?!of )[^ ]+(?: \(hours [^)]+\))?)?'
            '|Deserved [^ ]+ for non-preemptible jobs)'
            '(?: of ((?:user|array) [^ ]+))? is ([^:]+): (.+), and it asks for [^,]+$') AS m) AS found
    WHERE m IS NOT NULL
$$;
COMMENT ON FUNCTION cox.limit_in(text) IS
  'Parses a limit out of a detail of cox.job_wait: its owner, its name, its value, and what is in use by '
  'which jobs. All null: the detail is not about a limit.';
