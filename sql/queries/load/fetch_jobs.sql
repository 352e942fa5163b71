-- The next of the jobs that load_jobs reads: so few that the server's socket does not run full while they
-- are taken in.
FETCH 250 FROM loaded_jobs;
