-- The controller sends a turn and its COMMIT in one pipeline, and sees the count of changed rows
-- only after the COMMIT. So the database must raise the error.
CREATE OR REPLACE FUNCTION cox.expect_rows(what text, expected bigint, changed bigint)
  RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF changed IS DISTINCT FROM expected THEN
    RAISE EXCEPTION 'guard: only % of % rows of cox.% were in the expected state',
      changed, expected, what USING ERRCODE = 'CX002';
  END IF;
END $$;
COMMENT ON FUNCTION cox.expect_rows(text, bigint, bigint) IS
  'Raises CX002, which undoes the whole turn, if a guarded update changed fewer rows than expected.';
REVOKE ALL ON FUNCTION cox.expect_rows FROM PUBLIC;
