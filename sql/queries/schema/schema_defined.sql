-- Records that the functions and views with these texts ($1) were applied.
UPDATE cox.schema_version SET definitions = encode(sha256(convert_to($1::text, 'UTF8')), 'hex')
  WHERE version = (SELECT max(version) FROM cox.schema_version);
