-- The columns of all row types of the schema, in order: what the controller must know to send rows
-- in binary form. `element` is the type of the elements if a column is an array, else the type of
-- the column; `is_enum` says whether that is an enumeration.
SELECT c.relname AS row_type, c.reltype AS row_oid, a.attname AS column_name,
       a.atttypid AS column_oid, e.oid AS element, e.typtype = 'e' AS is_enum
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type t ON t.oid = a.atttypid
  JOIN pg_type e ON e.oid = CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE t.oid END
  WHERE c.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = 'cox')
    AND c.relkind IN ('r', 'p', 'c')
  ORDER BY c.relname, a.attnum;
