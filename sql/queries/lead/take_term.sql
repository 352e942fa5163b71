-- A new leadership: fences the former controller, wherever it is. No row: the truth has moved on since
-- it was looked at.
UPDATE cox.turn
  SET term = $1, session = session + 1, taken_at = now(), job_id_floor = $2, timeline = $3,
      incarnation = $7
  WHERE term = $4 AND turn = $5 AND session = $6
  RETURNING term, session, current_setting('synchronous_standby_names') <> '' AS synchronous;
