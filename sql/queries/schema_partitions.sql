-- Partitions of the history, a year ahead.
SELECT cox.create_event_partitions(now(), 12);
