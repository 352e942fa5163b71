-- Where the truth stands on the server that is there now, for whoever is about to lead.
SELECT t.term, t.turn, t.session, t.job_id_floor, t.taken_at,
       coalesce(t.timeline, 0) AS timeline_noted,
       cox.timeline() AS timeline,
       pg_last_xact_replay_timestamp() AS replayed,
       greatest((SELECT max(id) FROM cox.job),
                (SELECT max(id) FROM cox.failover, unnest(jobs_lost) AS id), 0) + 1 AS first_job
  FROM cox.turn t;
