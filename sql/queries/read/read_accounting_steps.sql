-- Returns the steps of the attempts that read_accounting_runs returns: at most $6, and only steps
-- after the one with job $3, attempt $4 and number $5.
SELECT s.*
  FROM unnest($1::bigint[]) AS w(id)
  JOIN cox.job AS j ON j.id = w.id
  JOIN cox.step AS s ON s.job_id = j.id AND ($2::boolean OR s.attempt = j.attempt)
  WHERE (s.job_id, s.attempt, s.number) > ($3::bigint, $4::integer, $5::integer)
  ORDER BY s.job_id, s.attempt, s.number
  LIMIT $6::bigint;
