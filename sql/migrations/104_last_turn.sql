-- What shows how much a restored database lacks, and that a restarted controller may go on with the
-- next job id. The view cox.history has more columns.

ALTER TABLE cox.turn ADD COLUMN turn_at timestamptz;
COMMENT ON COLUMN cox.turn.turn_at IS
  'When the last turn began, by the clock of the database; null: there was none since this is recorded.';

ALTER TABLE cox.turn ADD COLUMN server_started timestamptz;
COMMENT ON COLUMN cox.turn.server_started IS
  'When the server was started on which a leader took its term (pg_postmaster_start_time). If it is the '
  'same now, the server has lost no commit since, so no job id is skipped.';

ALTER TABLE cox.turn ADD COLUMN written_by xid8;
COMMENT ON COLUMN cox.turn.written_by IS
  'The transaction that wrote this row, as xmin has it; if they differ, the row comes from a backup.';

COMMENT ON COLUMN cox.turn.job_id_floor IS
  'Lowest job id that may still be issued, unless cox.job has higher ones.';
COMMENT ON COLUMN cox.failover.lost_from IS
  'Commits after this time may be lost: the last one that the promoted server had replayed, or the last '
  'one in the restored database.';
