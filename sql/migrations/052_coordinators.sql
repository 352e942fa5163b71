-- Coordinators of accounts: users who manage an account and those below it.
ALTER TABLE cox.association ADD COLUMN coordinators text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN cox.association.coordinators IS
  'Users who may add users and accounts to this account and those below it, and stop and hold its jobs.';
SELECT cox.grant_reader();
