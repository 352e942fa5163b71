-- The partitions whose state somebody has changed.
SELECT * FROM cox.partition ORDER BY name;
