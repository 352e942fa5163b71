-- Returns the row of an array's task, or the row that stands for several tasks including it.
SELECT id FROM cox.job
  WHERE array_job = $1 AND array_job > 0
    AND (array_task = $2 AND array_tasks = ''
         OR array_task < 0 AND $2 IN (SELECT cox.tasks_of(array_tasks, array_task)));
