-- A database that is restored from a backup issues job ids again. So that no job takes the checkpoints of
-- another job with its id for its own, each job has an identity that no restore repeats.
ALTER TABLE cox.job ADD COLUMN identity text NOT NULL DEFAULT '';
COMMENT ON COLUMN cox.job.identity IS
  'A UUID that no other job ever has; part of the path of its checkpoints and of their manifests. Empty: '
  'the job was accepted before jobs had one.';

CREATE FUNCTION cox.incarnation() RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog AS
  $$SELECT (SELECT system_identifier FROM pg_control_system()) || '/'
        || (SELECT oid FROM pg_database WHERE datname = current_database()) || '/'
        || 'cox.turn'::regclass::oid$$;
COMMENT ON FUNCTION cox.incarnation() IS
  'Which copy of the database this is: another one after pg_restore, or in another PostgreSQL.';

ALTER TABLE cox.turn ADD COLUMN incarnation text NOT NULL DEFAULT '';
COMMENT ON COLUMN cox.turn.incarnation IS
  'cox.incarnation() when a leader took its term: where it differs, this is a restored copy.';

SELECT cox.grant_reader();
