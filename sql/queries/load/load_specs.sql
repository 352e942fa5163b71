-- What jobs ask for; fetch_specs reads it.
DECLARE loaded_specs NO SCROLL CURSOR FOR
SELECT * FROM cox.job WHERE id = ANY($1::bigint[]);
