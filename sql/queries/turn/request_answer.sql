-- Stores the answers of administration requests: updates the rows of requests by SQL, and inserts
-- rows for requests by the command sacctmgr.
WITH answers AS (
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[], $5::text[])
    AS a(id, asked_by, command, refused, lines)),
answered AS (
  UPDATE cox.request r SET answered_at = now(), refused = a.refused,
      lines = string_to_array(a.lines, E'\n')
    FROM answers a WHERE r.id = a.id AND a.id > 0 AND r.answered_at IS NULL)
INSERT INTO cox.request (asked_by, command, answered_at, refused, lines)
  SELECT asked_by, command, now(), refused, string_to_array(lines, E'\n')
    FROM answers WHERE id = 0;
