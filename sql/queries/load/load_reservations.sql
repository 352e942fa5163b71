-- Advance reservations.
SELECT * FROM cox.reservation ORDER BY name;
