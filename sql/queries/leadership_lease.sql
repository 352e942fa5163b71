-- Takes the lease, or makes it longer, if it is ours or has ended: for $2 milliseconds from now. Who
-- holds it then; whether that is us, and were we before. A second one waits for the row's lock, and
-- then finds what the first has written.
WITH before AS (
  SELECT holder FROM cox.leadership
), ours AS (
  UPDATE cox.leadership l
    SET holder = $1, term = greatest(l.term, $3),
        since = CASE WHEN l.holder = $1 THEN l.since ELSE clock_timestamp() END,
        ends_at = clock_timestamp() + $2 * interval '1 millisecond'
    WHERE l.holder = $1 OR l.ends_at <= clock_timestamp()
    RETURNING l.holder
)
SELECT o.holder, true AS leads, b.holder = o.holder AS led FROM ours o, before b
UNION ALL
SELECT b.holder, false, false FROM before b WHERE NOT EXISTS (SELECT FROM ours);
