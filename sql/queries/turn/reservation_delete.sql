-- Advance reservations that are deleted, or over.
DELETE FROM cox.reservation WHERE name = ANY ($1::text[]);
