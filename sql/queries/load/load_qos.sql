-- The tiers.
SELECT * FROM cox.qos ORDER BY tier DESC, name;
