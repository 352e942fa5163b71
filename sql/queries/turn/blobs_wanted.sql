-- Returns scripts and environments that the messages of the turn need.
SELECT hash, content FROM cox.blob WHERE hash = ANY ($1::text[]);
