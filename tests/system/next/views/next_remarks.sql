CREATE OR REPLACE VIEW cox.next_remarks AS
  SELECT n.job_id, q.state, n.remark FROM cox.next n JOIN cox.queue q ON q.id = n.job_id;
COMMENT ON VIEW cox.next_remarks IS 'Only for a test; no program reads it.';
