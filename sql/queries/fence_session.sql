-- After a reconnection: waits for the old backend's row lock, bars what it has not yet begun, and
-- tells which turn was the last. Not fenced: the term is not ours any more. The server may be another
-- one by now; where nothing of what we were told ($2) is missing, that is all there is to say of it.
WITH before AS (
  SELECT timeline FROM cox.turn
), fenced AS (
  UPDATE cox.turn SET session = session + 1,
      timeline = CASE WHEN turn >= $2 THEN cox.timeline() ELSE timeline END
    WHERE term = $1 RETURNING term, turn, session, job_id_floor
), noted AS (
  INSERT INTO cox.failover (term, to_timeline, from_timeline, found_at, turns_lost, first_lost_job,
                            first_new_job, settled_at)
    SELECT f.term, cox.timeline(), b.timeline, now(), 0, f.job_id_floor, f.job_id_floor, now()
      FROM fenced f, before b WHERE b.timeline <> cox.timeline() AND f.turn >= $2
    ON CONFLICT DO NOTHING
)
SELECT true AS fenced, term, turn, session FROM fenced
UNION ALL
SELECT false, term, turn, session FROM cox.turn WHERE NOT EXISTS (SELECT FROM fenced);
