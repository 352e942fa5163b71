-- Returns the usage of each QOS.
SELECT * FROM cox.qos_used ORDER BY qos;
