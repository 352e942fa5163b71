-- The taking of a term. (A turn is the transaction of its pipeline.)
BEGIN;
