-- Of sacct's filters most are not given: a plan for those that are is made each time.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
       set_config('enable_seqscan', 'on', true),
       set_config('enable_hashjoin', 'on', true);
