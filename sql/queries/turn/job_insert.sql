-- Jobs accepted in this turn, as they are at its end.
INSERT INTO cox.job SELECT * FROM unnest($1::cox.job[]);
