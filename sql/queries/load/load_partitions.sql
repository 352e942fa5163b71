-- Returns the partitions that administrators made while the cluster ran, or whose state they changed.
SELECT * FROM cox.partition ORDER BY name;
