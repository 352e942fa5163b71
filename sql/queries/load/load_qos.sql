-- Returns all QOSes, the highest tier first.
SELECT * FROM cox.qos ORDER BY tier DESC, name;
