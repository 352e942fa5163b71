-- A tier that jobs have cannot be deleted: the controller needs it for as long as it knows them. Jobs
-- of a tier that was deleted before get it back as it was seeded, or as the standard one is.
INSERT INTO cox.qos (name, tier, preemptable, checkpoint, grace_ms)
  SELECT DISTINCT j.qos, 2, true, true, 60000::bigint FROM cox.job j
  ON CONFLICT (name) DO NOTHING;
ALTER TABLE cox.job
  ADD CONSTRAINT job_has_qos FOREIGN KEY (qos) REFERENCES cox.qos (name)
    ON UPDATE RESTRICT ON DELETE RESTRICT;
