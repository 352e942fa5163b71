-- A new leadership: fences the former controller, wherever it is. Job ids skip ahead, so that ids a
-- lost piece of history had issued are not issued again.
UPDATE cox.turn
  SET term = term + 1, session = session + 1, taken_at = now(),
      job_id_floor = greatest(job_id_floor, (SELECT max(id) + 1001 FROM cox.job))
  RETURNING term, session;
