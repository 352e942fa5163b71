-- Of these jobs those that are not there.
SELECT w.id FROM unnest($1::bigint[]) AS w (id)
  WHERE NOT EXISTS (SELECT FROM cox.job j WHERE j.id = w.id) ORDER BY w.id;
