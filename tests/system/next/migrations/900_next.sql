-- Changes that a later version may make to a schema in use.
CREATE TABLE cox.next (
  job_id bigint PRIMARY KEY REFERENCES cox.job (id),
  remark text NOT NULL DEFAULT ''
);
COMMENT ON TABLE cox.next IS 'Only for a test; no program reads it.';
INSERT INTO cox.next (job_id) SELECT id FROM cox.job;
CREATE INDEX next_submitted ON cox.job (submitted_at);
SELECT pg_sleep(2);  -- the time that the rows of a large cluster would take
