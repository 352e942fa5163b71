-- The next of the rows that load_specs reads.
FETCH 250 FROM loaded_specs;
