-- A replica that was promoted may lack what the former primary had told to be true: which server a
-- leader wrote to last, and what is known of each failover.
CREATE FUNCTION cox.timeline() RETURNS bigint LANGUAGE sql SET search_path = pg_catalog AS
  $$SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint$$;
COMMENT ON FUNCTION cox.timeline() IS
  'On which timeline this server takes writes; each promotion of a replica begins a new one. The '
  'control file knows it only as of the last checkpoint.';

ALTER TABLE cox.turn ADD COLUMN timeline bigint;
COMMENT ON COLUMN cox.turn.timeline IS
  'Of the server that a leader wrote to last; each promotion of a replica begins a new one.';

CREATE TABLE cox.failover (
  term bigint NOT NULL,
  to_timeline bigint NOT NULL,
  from_timeline bigint,
  found_at timestamptz NOT NULL,
  turns_lost bigint CHECK (turns_lost >= 0),
  lost_from timestamptz,
  lost_until timestamptz,
  first_lost_job bigint NOT NULL,
  first_new_job bigint NOT NULL CHECK (first_new_job >= first_lost_job),
  jobs_lost bigint[] NOT NULL DEFAULT '{}',
  attempts_lost text[] NOT NULL DEFAULT '{}',
  settled_at timestamptz,
  PRIMARY KEY (term, to_timeline)
);
COMMENT ON TABLE cox.failover IS
  'Each time a leader found another server behind its connection, or the same one older than it '
  'was: what was lost, as far as anybody can know.';
COMMENT ON COLUMN cox.failover.term IS 'The first leadership that wrote there.';
COMMENT ON COLUMN cox.failover.to_timeline IS 'Of the server from then on.';
COMMENT ON COLUMN cox.failover.from_timeline IS
  'Of the server that a leader wrote to before; 0: not known.';
COMMENT ON COLUMN cox.failover.found_at IS 'When that was found.';
COMMENT ON COLUMN cox.failover.turns_lost IS
  'Transactions of the controller that were told to be true and are gone, at least; 0: none; null: '
  'nobody who knew them was left to compare.';
COMMENT ON COLUMN cox.failover.lost_from IS
  'What was told from then on may be lost: the last that the promoted server had replayed.';
COMMENT ON COLUMN cox.failover.lost_until IS
  'The last moment of which a leader knew the truth that is gone; null: nobody knows.';
COMMENT ON COLUMN cox.failover.first_lost_job IS
  'Ids of jobs from there on, below first_new_job, may have been told; those jobs are gone.';
COMMENT ON COLUMN cox.failover.first_new_job IS 'Ids are issued from there on, since then.';
COMMENT ON COLUMN cox.failover.jobs_lost IS 'Jobs known to be gone: by a leader, or by nodes.';
COMMENT ON COLUMN cox.failover.attempts_lost IS
  'Attempts that ran on nodes and were not known any more, "17.2": they were ended.';
COMMENT ON COLUMN cox.failover.settled_at IS
  'When each node had told what it runs, or could run nothing any more; no job starts before.';

SELECT cox.grant_reader();
