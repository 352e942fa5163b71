-- Inserts failovers, in the transaction that takes the term that found them.
INSERT INTO cox.failover SELECT w.* FROM unnest($1::cox.failover[]) AS w
  WHERE EXISTS (SELECT FROM cox.turn t WHERE t.term = w.term);
