-- After a reconnection: waits for the old backend's row lock, bars what it has not yet begun, and
-- tells which turn was the last. Not fenced: the term is not ours any more. The server may be another
-- one by now. If all it has was written to a replica too before it was told ($3), and nothing of what we
-- were told ($2) is missing, that is all there is to say of it. Else, moved: another controller may have
-- taken a term, and written, where we were cut off and this server did not follow. Then nothing is noted
-- but the session, and whoever leads next finds that it has moved.
WITH before AS (
  SELECT timeline FROM cox.turn
), fenced AS (
  UPDATE cox.turn SET session = session + 1,
      timeline = CASE WHEN turn >= $2 AND ($3::boolean OR timeline IS NULL) THEN cox.timeline()
                 ELSE timeline END
    WHERE term = $1 RETURNING term, turn, session, job_id_floor, timeline
), noted AS (
  INSERT INTO cox.failover (term, to_timeline, from_timeline, found_at, turns_lost, first_lost_job,
                            first_new_job, settled_at)
    SELECT f.term, cox.timeline(), b.timeline, now(), 0, f.job_id_floor, f.job_id_floor, now()
      FROM fenced f, before b WHERE b.timeline <> cox.timeline() AND f.timeline = cox.timeline()
    ON CONFLICT DO NOTHING
)
SELECT true AS fenced, term, turn, session, timeline <> cox.timeline() AS moved,
       current_setting('synchronous_standby_names') <> '' AS synchronous FROM fenced
UNION ALL
SELECT false, term, turn, session, false, false FROM cox.turn WHERE NOT EXISTS (SELECT FROM fenced);
