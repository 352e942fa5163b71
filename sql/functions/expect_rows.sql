-- In a pipeline a client sees a short count only after COMMIT, so the database itself must object.
CREATE OR REPLACE FUNCTION cox.expect_rows(what text, expected bigint, changed bigint)
  RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF changed IS DISTINCT FROM expected THEN
    RAISE EXCEPTION 'guard: % of % rows of cox.% were in the state they should leave',
      changed, expected, what USING ERRCODE = 'CX002';
  END IF;
END $$;
COMMENT ON FUNCTION cox.expect_rows(text, bigint, bigint) IS
  'Raises CX002 (the whole turn is undone) when a guarded update met fewer rows than it should.';
REVOKE ALL ON FUNCTION cox.expect_rows FROM PUBLIC;
