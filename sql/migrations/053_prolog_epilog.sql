-- A node whose prolog or epilog failed is drained until somebody resumes it.
ALTER TYPE cox.drained_by ADD VALUE 'prolog_epilog';
COMMENT ON COLUMN cox.node.drained_by IS
  'Who drained it. health_check: its worker, until the check passes again. failures, kill_task, '
  'prolog_epilog: the controller, until somebody resumes it.';
