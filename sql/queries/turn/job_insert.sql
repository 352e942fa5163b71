-- Inserts jobs that were accepted in this turn, in the state that they have at its end.
INSERT INTO cox.job SELECT * FROM unnest($1::cox.job[]);
