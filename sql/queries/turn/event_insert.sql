-- Inserts events of jobs, numbered in the order of the changes.
INSERT INTO cox.job_event (
    job_id, attempt, at, what, state, why, actor)
  SELECT
    w.job_id, w.attempt, w.at, w.what, w.state, w.why, w.actor
  FROM unnest($1::cox.job_event[]) WITH ORDINALITY AS w
  ORDER BY w.ordinality;
