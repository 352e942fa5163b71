-- What a job may ask for beside numbers of the same: parts of GPUs, GPUs of several types, other
-- GRES, licences, nodes near to each other, numbers of nodes between two.
ALTER TABLE cox.job
  ADD COLUMN gpu_milli integer NOT NULL DEFAULT 1000 CHECK (gpu_milli BETWEEN 1 AND 1000),
  ADD COLUMN gpu_choice text NOT NULL DEFAULT '',
  ADD COLUMN gres text NOT NULL DEFAULT '',
  ADD COLUMN licences text NOT NULL DEFAULT '',
  ADD COLUMN node_sizes text NOT NULL DEFAULT '',
  ADD COLUMN switches text NOT NULL DEFAULT '',
  ADD COLUMN topology text NOT NULL DEFAULT '',
  ADD COLUMN time_min_s bigint NOT NULL DEFAULT 0,
  ADD COLUMN nice bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN cox.job.gpu_type IS
  'Types of GPU that will do, each with its speed: h200|h100:0.8; empty: any.';
COMMENT ON COLUMN cox.job.gpu_milli IS 'Thousandths of each of its GPUs; below 1000: of one a node.';
COMMENT ON COLUMN cox.job.gpu_choice IS
  'By what it chooses among types: cost, speed or balanced; empty: as the partition does.';
COMMENT ON COLUMN cox.job.gres IS 'GRES on each node that are no GPUs: fpga:u280:2,nic:1.';
COMMENT ON COLUMN cox.job.licences IS 'Licences it holds while it runs: matlab:2,ansys:1.';
COMMENT ON COLUMN cox.job.node_sizes IS
  'Numbers of nodes that will do, 4-16 or 4,8,16; empty: as many as column nodes says.';
COMMENT ON COLUMN cox.job.switches IS
  'On at most so many leaf switches, and for how long it waits for that: 1@60; empty: on any.';
COMMENT ON COLUMN cox.job.topology IS
  'All nodes in one domain of a level, required:leaf; empty: as near as may be.';
COMMENT ON COLUMN cox.job.time_min_s IS
  'A time limit of so many seconds will do, if it starts sooner for it; 0: not said.';
COMMENT ON COLUMN cox.job.nice IS 'Taken from its priority, --nice.';
COMMENT ON COLUMN cox.job.required_feature IS
  'Features its nodes must have, --constraint: a&b, [a|b], [a*2&b*4]; empty: none.';

ALTER TABLE cox.attempt_node
  ADD COLUMN gpu_milli integer NOT NULL DEFAULT 1000 CHECK (gpu_milli BETWEEN 1 AND 1000);
COMMENT ON COLUMN cox.attempt_node.gpu_milli IS 'Thousandths of each of these GPUs.';

ALTER TABLE cox.attempt
  ADD COLUMN time_limit_s bigint NOT NULL DEFAULT 0,
  ADD COLUMN fills boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN cox.attempt.fills IS
  'It fills a hole before a reservation of others: at its time limit it has saved and is requeued.';
COMMENT ON COLUMN cox.attempt.time_limit_s IS
  'Its time limit in seconds where it is shorter than the job''s; 0: the job''s own.';

ALTER TABLE cox.node ADD COLUMN gres text NOT NULL DEFAULT '';
COMMENT ON COLUMN cox.node.gres IS 'What it has in numbers beside GPUs: fpga:u280:2,nic:1.';
