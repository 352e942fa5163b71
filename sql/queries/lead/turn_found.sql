-- Returns the state of cox.turn on the present server, for a controller that will take a term and
-- last saw term $1 and turn $2. last_began: when the newest attempt of a live job began, by the
-- clock of the leader at that time. last_commit: the latest moment that any turn has recorded; older
-- programs did not write turn_at. Both are slow to find, so they are only read if the server is
-- another one or has lost turns. same_server: PostgreSQL was not restarted since the former leader
-- took its term, and the row does not come from a backup.
SELECT t.term, t.turn, t.session, t.job_id_floor, t.taken_at,
       coalesce(t.timeline, 0) AS timeline_noted,
       cox.timeline() AS timeline,
       t.incarnation AS incarnation_noted,
       cox.incarnation() AS incarnation,
       pg_last_xact_replay_timestamp() AS replayed,
       CASE WHEN t.stopped_turn = t.turn THEN coalesce(t.next_job, 0) ELSE 0 END AS next_job,
       greatest((SELECT max(id) FROM cox.job),
                (SELECT max(id) FROM cox.failover, unnest(jobs_lost) AS id), 0) + 1 AS first_job,
       CASE WHEN d.another
         THEN (SELECT max(a.began_at) FROM cox.job j JOIN cox.attempt a ON a.job_id = j.id
                 WHERE j.ended_at IS NULL AND j.attempt > 0) END AS last_began,
       CASE WHEN d.another
         THEN greatest(t.turn_at, (SELECT max(at) FROM cox.job_event)) END AS last_commit,
       coalesce(t.server_started = pg_postmaster_start_time()
                AND t.written_by::xid = t.xmin, false) AS same_server
  FROM cox.turn t
  CROSS JOIN LATERAL (
    SELECT t.timeline <> cox.timeline() OR t.incarnation <> cox.incarnation()
           OR $1::bigint > t.term OR $2::bigint > t.turn AS another) d;
