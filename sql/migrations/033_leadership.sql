-- Which of several controllers leads: a lease, by the database's clock. It only spares the others
-- the attempt: what keeps two of them from writing is the turn row.
CREATE TABLE cox.leadership (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  holder text NOT NULL,
  term bigint NOT NULL,
  since timestamptz NOT NULL,
  ends_at timestamptz NOT NULL
);
COMMENT ON TABLE cox.leadership IS
  'One row that says which controller leads, and until when unless it says so again.';
COMMENT ON COLUMN cox.leadership.singleton IS 'There is one row.';
COMMENT ON COLUMN cox.leadership.holder IS
  'Its host and its local endpoint; empty: nobody has led yet.';
COMMENT ON COLUMN cox.leadership.term IS
  'Its term (cox.turn), as far as it has told; lower: it is loading.';
COMMENT ON COLUMN cox.leadership.since IS 'When it took the lead.';
COMMENT ON COLUMN cox.leadership.ends_at IS
  'Others may take the lead from then on; the leader moves it on each third of its lease.';

INSERT INTO cox.leadership (holder, term, since, ends_at) VALUES ('', 0, now(), now());

SELECT cox.grant_reader();
