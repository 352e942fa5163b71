-- Quotas of accounts; what is kept for a tier, and what its jobs used; and no tier goes behind the
-- controller's back.
CREATE FUNCTION cox.is_tres_by_hours(list text)
  RETURNS boolean LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog AS $$
  SELECT list = '' OR (
    SELECT bool_and(cox.is_tres(split_part(one, '@', 1))
                    AND one ~ '^[^@]+(@[A-Za-z0-9][A-Za-z0-9_.-]{0,62})?$')
           AND count(*) <= 32
           AND count(*) = count(DISTINCT (split_part(one, '=', 1), split_part(one, '@', 2)))
      FROM unnest(string_to_array(list, ',')) AS one)
$$;
COMMENT ON FUNCTION cox.is_tres_by_hours(text) IS
  'Whether this is a list of TRES, as cox.is_tres, of which some count while hours are open: '
  '"gres/gpu:h100=4,gres/gpu:h100=16@nights".';

ALTER TABLE cox.association
  ADD COLUMN guarantee text NOT NULL DEFAULT '' CHECK (cox.is_tres_by_hours(guarantee)),
  ADD COLUMN deserved text NOT NULL DEFAULT '' CHECK (cox.is_tres_by_hours(deserved)),
  DROP CONSTRAINT association_grp_tres_check,
  ADD CONSTRAINT association_grp_tres_check CHECK (cox.is_tres_by_hours(grp_tres)),
  ADD CONSTRAINT association_grp_wall_has_a_limit CHECK (grp_wall_s <= 60000000000),
  ADD CONSTRAINT association_quotas_are_of_accounts
    CHECK (user_name = '' OR (guarantee = '' AND deserved = ''));
COMMENT ON COLUMN cox.association.guarantee IS
  'Of an account: what is always its own. Who borrows it gives way within its grace.';
COMMENT ON COLUMN cox.association.deserved IS
  'Of an account: what is its own while its jobs ask for it; lent to others else.';

ALTER TABLE cox.qos
  ADD COLUMN grp_tres_mins text NOT NULL DEFAULT '' CHECK (cox.is_tres(grp_tres_mins)),
  ADD COLUMN grp_wall_s bigint CHECK (grp_wall_s BETWEEN 0 AND 60000000000),
  ADD COLUMN kept_tres text NOT NULL DEFAULT '' CHECK (cox.is_tres(kept_tres));
COMMENT ON COLUMN cox.qos.grp_tres_mins IS
  'What all its jobs may use, in minutes of each; use that is longer ago counts less.';
COMMENT ON COLUMN cox.qos.grp_wall_s IS
  'How long they may run, added up likewise, in seconds; null: any time.';
COMMENT ON COLUMN cox.qos.kept_tres IS 'So much is left free by jobs of lower tiers.';

CREATE TABLE cox.qos_used (
  qos text PRIMARY KEY REFERENCES cox.qos (name) ON DELETE CASCADE,
  usage_tres text[] NOT NULL,
  usage_seconds double precision[] NOT NULL,
  usage_at timestamptz NOT NULL,
  CONSTRAINT qos_used_is_parallel CHECK (cardinality(usage_tres) = cardinality(usage_seconds)));
COMMENT ON TABLE cox.qos_used IS 'What the jobs of a tier used that are over.';
COMMENT ON COLUMN cox.qos_used.qos IS 'The tier.';
COMMENT ON COLUMN cox.qos_used.usage_tres IS 'Of what. Halved with each half-life since usage_at.';
COMMENT ON COLUMN cox.qos_used.usage_seconds IS 'How much, in seconds of each, in the same order.';
COMMENT ON COLUMN cox.qos_used.usage_at IS 'When that was added up.';

-- The controller has the tiers in memory, and would take jobs of one that went behind its back.
CREATE OR REPLACE FUNCTION cox.keep_qos()
  RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.name = OLD.name THEN
      RETURN NEW;
    END IF;
  ELSIF TG_OP = 'DELETE' THEN
    IF current_setting('cox.removes_qos', true) = 'on' AND OLD.name <> 'standard'
       AND NOT EXISTS (SELECT FROM cox.job j WHERE j.qos = OLD.name AND j.ended_at IS NULL) THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'a QOS that jobs have, or may have, can be neither deleted nor renamed'
    USING ERRCODE = '23001',
      HINT = 'Change its other columns, or add another; CALL cox.sacctmgr(''delete qos ...'').';
END $$;
SELECT cox.grant_reader();
