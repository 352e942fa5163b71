-- Content that the turn's messages carry.
SELECT hash, content FROM cox.blob WHERE hash = ANY ($1::text[]);
