-- A job that resumes from an older checkpoint, and saves of which nothing is known.

ALTER TABLE cox.attempt ADD COLUMN saves_set_aside boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN cox.attempt.saves_set_aside IS
  'The job''s owner has requeued it from an older checkpoint (cox requeue --from), so what the attempt '
  'still saves is set aside.';

ALTER TABLE cox.rank ADD COLUMN save_unknown boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN cox.rank.save_unknown IS
  'The rank exited with 75, and its node could not read or write the files then, so whether it has saved '
  'is not known.';

COMMENT ON COLUMN cox.checkpoint.set_aside IS
  'The job goes on without it, from an older one or anew: as its owner asked (cox requeue --from, '
  'cox release --begin-anew), or since two attempts in a row failed from it. Its files are kept.';
