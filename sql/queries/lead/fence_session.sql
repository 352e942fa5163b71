-- Runs after a reconnection. Waits for the lock that the old backend holds on the turn row, makes
-- turns fail that the old backend has not begun, and returns the last committed turn. `fenced` is
-- false if the term is no longer this controller's. The server may be another one by now, on
-- another timeline. If replication is synchronous ($3) and the last turn that was confirmed to this
-- controller ($2) is there, the new timeline is recorded. Otherwise `moved` is true: another
-- controller may have taken a term on a server that this one does not follow. Then only the session
-- changes, and the next leader detects the move.
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
