-- Takes the lease, or makes it longer, if it is ours or has ended: for $2 milliseconds from now. Who
-- holds it then, whether that is us, and since when; and what is true by then (cox.turn), so that who
-- leads next knows whether any of it got lost. A second one waits for the row's lock, which a
-- slow commit may hold for long: so the end is compared with when it asked. An end that is further
-- away than any lease was written by a clock that has been set back. $4: the asker has not led since
-- it started. Then what it held before gets no more time than from when it took the lead, so that one
-- that always dies while it loads does not keep the others away for ever. $5: the newest migration that
-- the asker knows. Of a database that has had a later one it is told so, and gets no lease.
WITH has AS (
  SELECT max(version) AS schema FROM cox.schema_version
), ours AS (
  UPDATE cox.leadership l
    SET holder = $1, term = greatest(l.term, $3),
        since = CASE WHEN l.holder = $1 THEN l.since ELSE clock_timestamp() END,
        ends_at = CASE WHEN $4::boolean AND l.holder = $1
          THEN greatest(l.ends_at, l.since + $2 * interval '1 millisecond')
          ELSE clock_timestamp() + $2 * interval '1 millisecond' END
    WHERE (l.holder = $1 OR l.ends_at <= statement_timestamp()
           OR l.ends_at > clock_timestamp() + interval '2 hours')
      AND (SELECT schema FROM has) <= $5::integer
    RETURNING l.holder, l.since
)
SELECT h.*, has.schema, t.term, t.turn,
       greatest(t.job_id_floor, (SELECT max(id) + 1 FROM cox.job)) AS next_job
  FROM has, cox.turn t, (
    SELECT o.holder, true AS leads, o.since FROM ours o
    UNION ALL
    SELECT l.holder, false, l.since FROM cox.leadership l WHERE NOT EXISTS (SELECT FROM ours)) h;
