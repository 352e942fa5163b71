-- Event triggers, by number.
SELECT * FROM cox.event_trigger ORDER BY id;
