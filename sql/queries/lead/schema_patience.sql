-- Sets how long a statement of this session may take (statement_timeout); it fails after that.
SELECT set_config('statement_timeout', $1, false);
