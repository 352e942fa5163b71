-- Deletes advance reservations that were deleted, or are over.
DELETE FROM cox.reservation WHERE name = ANY ($1::text[]);
