-- Begins the transaction in which a controller takes a new term. (A turn needs no BEGIN: its
-- pipeline is one transaction.)
BEGIN;
