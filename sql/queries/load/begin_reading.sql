-- Begins a transaction in which all statements read the same snapshot.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
