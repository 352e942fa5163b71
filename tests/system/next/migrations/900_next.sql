-- What a version to come may do to a schema that is in use.
CREATE TABLE cox.next (
  job_id bigint PRIMARY KEY REFERENCES cox.job (id),
  remark text NOT NULL DEFAULT ''
);
COMMENT ON TABLE cox.next IS 'A test''s: no program reads it.';
INSERT INTO cox.next (job_id) SELECT id FROM cox.job;
CREATE INDEX next_submitted ON cox.job (submitted_at);
SELECT pg_sleep(2);  -- as many rows as a large cluster has would take
