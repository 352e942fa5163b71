-- Takes or extends the lease for $2 milliseconds from now, if $1 holds it or it has ended. Returns
-- the holder, whether that is $1, since when, the row of cox.turn, so that the next leader can
-- detect lost turns, and the server's time of day in ms. A second controller may wait long for the row's lock, so the end of the lease
-- is compared with the time at which its statement began. An end more than two hours ahead counts
-- as passed: it was written by a clock that has been set back since. $4: the controller has not led
-- since it started. Then a lease that it held before is not extended beyond $2 after its beginning,
-- so that a controller that always dies while it loads does not block the others for ever. $5: the
-- newest migration that the controller has. If the database has a later one (column schema), the
-- controller gets no lease.
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
       (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time_of_day,
       greatest(t.job_id_floor, (SELECT max(id) + 1 FROM cox.job)) AS next_job
  FROM has, cox.turn t, (
    SELECT o.holder, true AS leads, o.since FROM ours o
    UNION ALL
    SELECT l.holder, false, l.since FROM cox.leadership l WHERE NOT EXISTS (SELECT FROM ours)) h;
