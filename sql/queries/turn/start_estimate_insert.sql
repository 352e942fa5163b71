-- Inserts the true starts of jobs for which a start had been estimated, with the estimates.
INSERT INTO cox.start_estimate SELECT w.* FROM unnest($1::cox.start_estimate[]) AS w;
