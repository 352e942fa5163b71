-- A turn, or the taking of a term.
BEGIN;
