-- Those that have lost something, or may have.
SELECT * FROM cox.failover WHERE turns_lost IS DISTINCT FROM 0 ORDER BY term, to_timeline;
