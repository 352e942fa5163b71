-- What was used, by tier.
SELECT * FROM cox.qos_used ORDER BY qos;
