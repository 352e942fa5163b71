-- Whether the schema knows of leaders, and so of who may bring it further.
SELECT to_regclass('cox.leadership') IS NOT NULL;
