-- Tasks of a step each on the node that a list names for it: srun -m arbitrary, SLURM_HOSTFILE.
ALTER TYPE cox.distribution ADD VALUE 'arbitrary';
COMMENT ON COLUMN cox.step.nodelist IS
  'Only these nodes, and all of them. Of distribution arbitrary: the node of each task, in order.';
