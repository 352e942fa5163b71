-- Inserts new event triggers, and updates triggers whose event has happened.
INSERT INTO cox.event_trigger
  SELECT w.* FROM unnest($1::cox.event_trigger[]) AS w
  ON CONFLICT (id) DO UPDATE SET
    event = excluded.event, job_id = excluded.job_id, nodes = excluded.nodes,
    offset_s = excluded.offset_s, program = excluded.program, permanent = excluded.permanent,
    user_name = excluded.user_name, uid = excluded.uid, gid = excluded.gid,
    set_at = excluded.set_at, due_at = excluded.due_at, happened_on = excluded.happened_on;
