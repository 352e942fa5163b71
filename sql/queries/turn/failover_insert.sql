-- With the term that found it, in one transaction.
INSERT INTO cox.failover SELECT w.* FROM unnest($1::cox.failover[]) AS w
  WHERE EXISTS (SELECT FROM cox.turn t WHERE t.term = w.term);
