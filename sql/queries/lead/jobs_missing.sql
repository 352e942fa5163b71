-- Returns the ids of $1 that are not in cox.job.
SELECT w.id FROM unnest($1::bigint[]) AS w (id)
  WHERE NOT EXISTS (SELECT FROM cox.job j WHERE j.id = w.id) ORDER BY w.id;
