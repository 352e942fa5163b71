-- Returns the checksum of a migration's text.
SELECT encode(sha256(convert_to($1::text, 'UTF8')), 'hex');
