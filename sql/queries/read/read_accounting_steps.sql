-- The steps of those runs, behind one of them, so many at most.
SELECT s.*
  FROM unnest($1::bigint[]) AS w(id)
  JOIN cox.job AS j ON j.id = w.id
  JOIN cox.step AS s ON s.job_id = j.id AND ($2::boolean OR s.attempt = j.attempt)
  WHERE (s.job_id, s.attempt, s.number) > ($3::bigint, $4::integer, $5::integer)
  ORDER BY s.job_id, s.attempt, s.number
  LIMIT $6::bigint;
