-- Fetches the next rows of the cursor of load_specs.
FETCH 250 FROM loaded_specs;
