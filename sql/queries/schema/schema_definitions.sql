-- Returns whether functions and views with these texts ($1) were applied after the newest migration.
SELECT coalesce(definitions = encode(sha256(convert_to($1::text, 'UTF8')), 'hex'), false)
  FROM cox.schema_version ORDER BY version DESC LIMIT 1;
