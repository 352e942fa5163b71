-- The partitions that somebody has made, or whose state somebody has changed.
SELECT * FROM cox.partition ORDER BY name;
