-- The cluster's first moment: when its database was made.
SELECT min(applied_at) AS first_moment FROM cox.schema_version;
