-- Which GPUs of a node are joined by NVLink or its like.
ALTER TABLE cox.node
  ADD COLUMN gpu_island integer[] NOT NULL DEFAULT '{}',
  ADD CONSTRAINT node_gpu_islands_are_parallel CHECK (
    cardinality(gpu_island) IN (0, cardinality(gpu_index)));
COMMENT ON COLUMN cox.node.gpu_island IS
  'Its GPUs'' islands, in the same order: those of one number are joined; 0: not known.';
