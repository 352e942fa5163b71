-- Returns whether this database, which has the schema, has jobs.
SELECT EXISTS (SELECT FROM cox.job);
