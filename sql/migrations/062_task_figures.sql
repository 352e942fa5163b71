-- What the tasks of a step took, task by task, for sacct.
ALTER TABLE cox.step
  ADD COLUMN exited_tasks bigint NOT NULL DEFAULT 0,
  ADD COLUMN rss_kb bigint NOT NULL DEFAULT 0,
  ADD COLUMN read_bytes bigint NOT NULL DEFAULT 0,
  ADD COLUMN written_bytes bigint NOT NULL DEFAULT 0,
  ADD COLUMN most_rss_kb bigint NOT NULL DEFAULT 0,
  ADD COLUMN most_rss_task integer NOT NULL DEFAULT -1,
  ADD COLUMN most_read_bytes bigint NOT NULL DEFAULT 0,
  ADD COLUMN most_read_task integer NOT NULL DEFAULT -1,
  ADD COLUMN most_written_bytes bigint NOT NULL DEFAULT 0,
  ADD COLUMN most_written_task integer NOT NULL DEFAULT -1,
  ADD COLUMN least_cpu_ms bigint NOT NULL DEFAULT 0,
  ADD COLUMN least_cpu_task integer NOT NULL DEFAULT -1;
COMMENT ON COLUMN cox.step.exited_tasks IS
  'Number of tasks that have exited. The sums and extremes are of them.';
COMMENT ON COLUMN cox.step.rss_kb IS
  'Sum of the most memory that each of its tasks held, in KiB.';
COMMENT ON COLUMN cox.step.read_bytes IS
  'Bytes that its tasks read, also through the page cache.';
COMMENT ON COLUMN cox.step.written_bytes IS
  'Bytes that its tasks wrote, also through the page cache.';
COMMENT ON COLUMN cox.step.most_rss_kb IS 'The most memory that one task held, in KiB.';
COMMENT ON COLUMN cox.step.most_rss_task IS 'The rank of this task; -1: no task has exited.';
COMMENT ON COLUMN cox.step.most_read_bytes IS 'The most bytes that one task read.';
COMMENT ON COLUMN cox.step.most_read_task IS 'The rank of this task; -1: no task has exited.';
COMMENT ON COLUMN cox.step.most_written_bytes IS 'The most bytes that one task wrote.';
COMMENT ON COLUMN cox.step.most_written_task IS 'The rank of this task; -1: no task has exited.';
COMMENT ON COLUMN cox.step.least_cpu_ms IS 'The least CPU time that one task took, in ms.';
COMMENT ON COLUMN cox.step.least_cpu_task IS 'The rank of this task; -1: no task has exited.';
