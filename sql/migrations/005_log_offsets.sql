-- Where an attempt's own part of its ranks' output begins: attempts of a job share the files.
ALTER TABLE cox.rank
  ADD COLUMN output_from bigint,
  ADD COLUMN error_from bigint;
COMMENT ON COLUMN cox.rank.output_from IS
  'Byte of its output file at which this attempt begins; null: not prepared yet.';
COMMENT ON COLUMN cox.rank.error_from IS
  'Byte of its error file at which this attempt begins; null: not prepared yet.';
