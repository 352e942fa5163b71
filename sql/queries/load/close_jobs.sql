-- Closes the cursor of load_jobs, before jobs are read with other parameters.
CLOSE loaded_jobs;
