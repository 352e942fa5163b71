-- They are to be read otherwise.
CLOSE loaded_jobs;
