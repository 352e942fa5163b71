-- Applies the texts of sql/views. Each uses CREATE OR REPLACE, which keeps grants and dependent
-- objects, but cannot remove, rename or retype a column. If that is needed, all views are dropped and
-- created again; this is refused if other objects depend on a view.
CREATE OR REPLACE FUNCTION cox.replace_views(names text[], texts text[])
  RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  remaining text[] := texts;
  too_early text[];
  one text;
  dependents text;
BEGIN
  -- Views select from each other: each pass creates the views whose sources exist already.
  WHILE cardinality(remaining) > 0 LOOP
    too_early := '{}';
    FOREACH one IN ARRAY remaining LOOP
      BEGIN
        EXECUTE one;
      EXCEPTION WHEN undefined_table OR undefined_column OR undefined_function OR datatype_mismatch THEN
        too_early := too_early || one;
        IF cardinality(too_early) = cardinality(remaining) THEN
          RAISE;  -- no view could be created in this pass
        END IF;
      END;
    END LOOP;
    remaining := too_early;
  END LOOP;
EXCEPTION WHEN invalid_table_definition THEN
  BEGIN
    EXECUTE (SELECT 'DROP VIEW ' || string_agg(c.oid::regclass::text, ', ') FROM pg_class c
               WHERE c.relnamespace = 'cox'::regnamespace AND c.relkind = 'v'
                 AND c.relname = ANY (names));
  EXCEPTION WHEN dependent_objects_still_exist THEN
    GET STACKED DIAGNOSTICS dependents = PG_EXCEPTION_DETAIL;
    RAISE EXCEPTION 'the views of schema cox must be dropped and created again, but other objects '
                    'depend on them: %', dependents
      USING ERRCODE = '2BP01',
            HINT = 'Drop these objects, start the controller, and create them again.';
  END;
  PERFORM cox.replace_views(names, texts);
END $$;
COMMENT ON FUNCTION cox.replace_views(text[], text[]) IS
  'Creates or replaces the views of this schema, by their names and texts.';
REVOKE ALL ON FUNCTION cox.replace_views FROM PUBLIC;
