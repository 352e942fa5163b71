-- Returns when the cluster's database was created.
SELECT min(applied_at) AS first_moment FROM cox.schema_version;
