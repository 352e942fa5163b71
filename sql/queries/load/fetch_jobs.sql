-- Fetches the next rows of the cursor of load_jobs: so few that the server's socket does not fill
-- up while the controller takes them in.
FETCH 250 FROM loaded_jobs;
