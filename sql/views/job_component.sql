CREATE OR REPLACE VIEW cox.job_component AS
  SELECT j.id AS job_id, 0 AS component, j.partition, j.nodes, j.tasks, j.tasks_per_node,
         j.cpus_per_task, j.memory_mb_per_node, j.gpu_type, j.gpus_per_node, j.gpu_milli, j.gres,
         j.exclusive, j.nodelist, j.exclude, j.required_feature
    FROM cox.job j
  UNION ALL
  SELECT j.id, c.component::integer, r.partition, r.nodes, r.tasks, r.tasks_per_node,
         r.cpus_per_task, r.memory_mb_per_node, r.gpu_type, r.gpus_per_node, r.gpu_milli, r.gres,
         r.exclusive, r.nodelist, r.exclude, r.required_feature
    FROM cox.job j,
         jsonb_array_elements(j.components) WITH ORDINALITY AS c(size, component),
         jsonb_to_record(c.size) AS r(
           partition text, nodes bigint, tasks bigint, tasks_per_node bigint, cpus_per_task bigint,
           memory_mb_per_node bigint, gpu_type text, gpus_per_node bigint, gpu_milli integer,
           gres text, exclusive boolean, nodelist text[], exclude text[], required_feature text);
COMMENT ON VIEW cox.job_component IS
  'What jobs ask for, with a row for each component: several rows for a heterogeneous job, one for any '
  'other.';
COMMENT ON COLUMN cox.job_component.job_id IS 'The job.';
COMMENT ON COLUMN cox.job_component.component IS 'Number of the component, from 0; 17+1 is component 1 of job 17.';
COMMENT ON COLUMN cox.job_component.partition IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.nodes IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.tasks IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.tasks_per_node IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.cpus_per_task IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.memory_mb_per_node IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.gpu_type IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.gpus_per_node IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.gpu_milli IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.gres IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.exclusive IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.nodelist IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.exclude IS 'As cox.job has it, of this component.';
COMMENT ON COLUMN cox.job_component.required_feature IS 'As cox.job has it, of this component.';
