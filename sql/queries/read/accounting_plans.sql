-- Makes the server plan each query of sacct anew, for the filters of that query, until the
-- transaction ends. Other queries keep their plans (session_settings).
SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
       set_config('enable_seqscan', 'on', true),
       set_config('enable_hashjoin', 'on', true);
