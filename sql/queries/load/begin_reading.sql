-- One consistent picture, however many statements read it.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
