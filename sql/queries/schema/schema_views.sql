-- Creates or replaces the views, by their names ($1) and texts ($2), and grants them to the reader.
SELECT cox.replace_views($1::text[], $2::text[]), cox.grant_reader();
