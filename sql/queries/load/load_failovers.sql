-- Returns the failovers that have lost turns, or may have.
SELECT * FROM cox.failover WHERE turns_lost IS DISTINCT FROM 0 ORDER BY term, to_timeline;
