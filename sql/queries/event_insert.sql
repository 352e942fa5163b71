-- History, numbered in the order of the changes.
INSERT INTO cox.job_event (
    job_id, attempt, at, what, state, why, actor)
  SELECT
    w.job_id, w.attempt, w.at, w.what, w.state, w.why, w.actor
  FROM unnest(
      $1::bigint[], $2::integer[], $3::timestamptz[], $4::text[], $5::cox.job_state[],
      $6::text[], $7::text[]
    ) WITH ORDINALITY AS w(
      job_id, attempt, at, what, state, why, actor, place)
  ORDER BY w.place;
