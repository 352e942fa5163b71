-- Event triggers that are cleared, or whose program runs.
DELETE FROM cox.event_trigger WHERE id = ANY ($1::bigint[]);
