-- Deletes event triggers that were cleared, or that have run.
DELETE FROM cox.event_trigger WHERE id = ANY ($1::bigint[]);
