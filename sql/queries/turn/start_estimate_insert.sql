-- Starts that had been told before.
INSERT INTO cox.start_estimate SELECT w.* FROM unnest($1::cox.start_estimate[]) AS w;
