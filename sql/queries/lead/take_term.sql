-- Takes a new term, which fences the former leader. Returns no row if cox.turn has changed since
-- turn_found read it.
UPDATE cox.turn
  SET term = $1, session = session + 1, taken_at = now(), job_id_floor = $2, timeline = $3,
      incarnation = $7, server_started = pg_postmaster_start_time()
  WHERE term = $4 AND turn = $5 AND session = $6
  RETURNING term, session, current_setting('synchronous_standby_names') <> '' AS synchronous;
