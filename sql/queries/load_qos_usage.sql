-- What was used, by tier.
SELECT * FROM cox.qos_usage ORDER BY qos;
