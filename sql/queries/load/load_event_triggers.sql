-- Returns all event triggers, by id.
SELECT * FROM cox.event_trigger ORDER BY id;
