-- Opens a cursor on the whole rows of the jobs with these ids ($1), for what they ask for;
-- fetch_specs reads it.
DECLARE loaded_specs NO SCROLL CURSOR FOR
SELECT * FROM cox.job WHERE id = ANY($1::bigint[]);
