// Every bound on what comes from outside, by name and unit. A refusal quotes the name's value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cox::limits {

inline constexpr std::size_t frame_bytes_max = 16u << 20;  // one ZeroMQ frame
inline constexpr std::size_t frame_depth_max = 16;         // nesting of msgpack values
inline constexpr std::size_t frame_messages_max = 4096;    // messages in one frame
// What one frame may become in memory: a base, so much for each of its bytes, at most so much.
inline constexpr std::size_t decoded_bytes_base = 1u << 20;
inline constexpr std::size_t decoded_bytes_per_byte_max = 128;
inline constexpr std::size_t decoded_bytes_max = 256u << 20;
// What waits for the controller's turn, and what one turn takes of it (fair_queue.h).
inline constexpr std::size_t queued_events_max = 100'000;
inline constexpr std::size_t queued_events_per_connection_max = 10'000;
inline constexpr std::size_t queued_bytes_max = 256u << 20;  // of frames
inline constexpr std::size_t turn_events_max = 1'000;
inline constexpr std::int64_t turn_work_max = 1'000;         // a job submitted is 1: about 10 us
inline constexpr std::size_t reads_waiting_max = 1'000;      // for the database
inline constexpr std::size_t reads_per_connection_max = 64;  // of these
// Who sends what nobody of ours would send (offences.h).
inline constexpr std::int64_t offences_tolerated_max = 3;  // of one, by several connections
inline constexpr std::int64_t mute_first_s = 10;
inline constexpr std::int64_t mute_most_s = 600;       // each offence after it doubles the time
inline constexpr std::int64_t mute_forgotten_s = 600;  // without another one
inline constexpr std::size_t offenders_kept_max = 4096;
inline constexpr std::int64_t offence_log_interval_ms = 1'000;
inline constexpr std::int64_t receive_ms_max = 5;  // of a round at a socket; the last frame ends it
// Connections to a listening program (connection_book.h).
inline constexpr std::int64_t connections_per_key = 4096;       // also of a local user; a setting
inline constexpr std::size_t unproven_connections_max = 1024;   // have not proven a key (yet)
inline constexpr std::size_t handshake_frame_bytes_max = 2048;  // of a frame of the handshake
inline constexpr std::int64_t frame_overhead_bytes = 64;        // libzmq's own, of each part
inline constexpr std::int64_t unread_bytes_per_connection_max = 64ll << 20;  // received, not taken
inline constexpr std::int64_t unread_bytes_max = 256ll << 20;                // of all connections
inline constexpr std::int64_t key_folder_look_ms = 1'000;       // between looks for removed keys
inline constexpr std::size_t script_bytes_max = 4u << 20;       // as Slurm's MaxScriptSize
inline constexpr std::size_t environment_bytes_max = 2u << 20;  // all variables of one job
inline constexpr std::size_t variable_bytes_max = 128u << 10;   // one variable: the kernel's limit
inline constexpr std::size_t command_bytes_max = 1u << 20;      // all words of a gang's command
inline constexpr std::size_t command_words_max = 4096;
inline constexpr std::size_t name_bytes_max = 1024;   // job names
inline constexpr std::size_t partitions_max = 1'000;  // also those made while the cluster runs
inline constexpr std::size_t word_bytes_max = 256;    // partition, QOS, feature, node names
inline constexpr std::size_t path_bytes_max = 4096;
inline constexpr std::size_t reason_bytes_max = 1024;  // --reason texts
// Files that users name on a command line, as a client reads them.
inline constexpr std::size_t named_file_bytes_max = 64u << 20;  // any of them; sacctmgr load
inline constexpr std::size_t host_file_bytes_max = 1u << 20;    // of SLURM_HOSTFILE or --nodelist
inline constexpr std::size_t multi_prog_bytes_max = 4u << 20;   // of srun --multi-prog
inline constexpr std::size_t hostlist_nodes_max = 65536;        // names one hostlist may stand for
inline constexpr std::int64_t nodes_per_job_max = 16384;
inline constexpr std::int64_t job_components_max = 16;  // of a heterogeneous job
inline constexpr std::int64_t tasks_per_job_max = 262144;
inline constexpr std::int64_t cpus_per_task_max = 4096;
inline constexpr std::int64_t gpus_per_node_max = 64;
inline constexpr std::int64_t gpus_per_job_max = nodes_per_job_max * gpus_per_node_max;
inline constexpr std::size_t gpu_types_max = 16;     // types of GPU one job takes
inline constexpr std::int64_t gpu_ratio_max = 1000;  // how much faster one type is than another
inline constexpr std::size_t gres_kinds_max = 16;    // entries of one --gres
inline constexpr std::int64_t gres_count_max = std::int64_t{1} << 50;  // they may count bytes
inline constexpr std::size_t topology_levels_max = 8;
inline constexpr std::size_t stored_options_max = 64;    // of Slurm's that are only stored
inline constexpr std::size_t wish_bytes_max = 4096;      // of one option like --gres, as text
inline constexpr std::int64_t nice_max = 2'147'483'645;  // Slurm's
inline constexpr std::size_t licences_per_job_max = 16;
inline constexpr std::int64_t licence_count_max = 1'000'000;
inline constexpr std::size_t node_sizes_max = 64;  // sizes one --nodes lists
inline constexpr std::size_t constraint_bytes_max = 1024;
inline constexpr std::size_t constraint_words_max = 64;    // features named in a constraint
inline constexpr std::size_t constraint_depth_max = 16;    // brackets in brackets
inline constexpr std::size_t constraint_clauses_max = 32;  // of one alternative, multiplied out
inline constexpr std::size_t constraint_alternatives_max = 32;  // all [a|b] multiplied out
inline constexpr std::size_t topology_domains_max = 65536;      // switches, or blocks
inline constexpr std::size_t topology_depth_max = 16;           // switches above a node
inline constexpr std::int64_t memory_mb_per_node_max = std::int64_t{1} << 30;  // one PiB
inline constexpr std::int64_t cpu_load_percent_max = 100'000'000;  // load of a node: 1,000,000
inline constexpr std::int64_t time_limit_s_max = 366ll * 24 * 3600;
inline constexpr std::int64_t moment_seconds_max = 100ll * 366 * 24 * 3600;  // from now, --begin
inline constexpr std::int64_t tres_count_max = std::int64_t{1} << 50;  // of one thing in a limit
inline constexpr std::size_t tres_per_list_max = 32;                   // things one limit counts
inline constexpr std::size_t accounting_words_max = 256;               // of one request of sacctmgr
inline constexpr std::size_t accounting_lines_max = 1'000;  // requests of one CALL cox.sacctmgr
inline constexpr std::size_t accounting_text_characters_max = 131'072;  // as cox.request has it
inline constexpr std::size_t account_bytes_max = 64;  // of the name of an account or a user
inline constexpr std::size_t account_depth_max = 16;  // accounts in accounts
inline constexpr std::size_t accounting_requests_max = 20'000;  // of sacctmgr, done together
inline constexpr std::size_t associations_max = 100'000;        // accounts, and users in them
inline constexpr std::int64_t fair_shares_max = 1'000'000;      // of one association
inline constexpr std::size_t dependency_bytes_per_request_max = 1u << 20;  // of all its jobs
inline constexpr std::size_t recalls_per_request_max = 64;     // jobs it waits for, ended long ago
inline constexpr std::size_t dependencies_per_job_max = 1000;  // jobs it waits for
inline constexpr std::int64_t array_tasks_max = 100'000;       // of one array
inline constexpr std::int64_t array_task_id_max = 4'000'000;   // Slurm's most
inline constexpr std::int64_t signal_seconds_max = 65535;      // as Slurm's --signal
inline constexpr std::size_t jobs_max = 1'000'000;             // Slurm's MaxJobCount: not yet ended
inline constexpr std::size_t jobs_per_request_max = 5'000;     // accepted in one request
inline constexpr std::size_t request_ids_max = 64;             // job ids in one request
inline constexpr std::size_t page_rows_max = 1000;             // rows in one answer
inline constexpr std::size_t brief_rows_max = 5000;            // likewise, of brief ones
inline constexpr std::size_t page_bytes_max = 4u
                                              << 20;  // about; a page ends with the row beyond it
inline constexpr std::size_t wait_rows_per_turn_max = 2'000;      // of cox.job_wait
inline constexpr std::size_t snapshot_bytes_max = 512u << 20;     // of `cox snapshot`
inline constexpr std::size_t snapshot_part_bytes_max = 4u << 20;  // in one answer
inline constexpr std::size_t log_chunk_bytes_max = 256u << 10;
inline constexpr std::size_t spool_bytes_min = frame_bytes_max;  // free, for a launch
inline constexpr std::size_t node_failures_kept_max = 32;        // of one node, the newest
inline constexpr std::size_t node_returns_kept_max = 8;          // likewise, from silence
// These three limit how the controller looks up groups for AllowGroups of partitions.
inline constexpr std::int64_t group_lookup_ms_max = 10'000;  // then a change that waits is refused
inline constexpr std::int64_t group_lookup_interval_ms = 60'000;  // of those that were not found
inline constexpr std::size_t group_lookups_max = 64;              // at a time
inline constexpr std::int64_t fence_run_ms_max = 60'000;      // of fence_program, then it is killed
inline constexpr std::size_t fence_output_bytes_max = 1'000;  // of it, that is logged
inline constexpr std::size_t site_output_bytes_max = 1'000;   // kept of a prolog's or epilog's
inline constexpr std::size_t container_words_max = 64;        // in the site's container_command
inline constexpr std::size_t reservations_kept_up_max = 16;   // in one turn; then the next goes on
inline constexpr std::size_t container_parts_max = 64;        // mounts or variables in one option
// One user's crontab. The shortest interval of a line is one minute, as in cron.
inline constexpr std::size_t crontab_bytes_max = 64u << 10;
inline constexpr std::size_t crontab_lines_max = 100;  // lines that ask for jobs
// strigger.
inline constexpr std::size_t event_triggers_max = 10'000;          // for all users together
inline constexpr std::size_t event_triggers_per_user_max = 1'000;  // the cluster's owner is exempt
inline constexpr std::int64_t trigger_offset_s_max = 32'000;       // Slurm's limit, also negative
inline constexpr std::size_t trigger_words_max = 62;               // in --program; Slurm's limit
inline constexpr std::int64_t trigger_run_ms_max = 300'000;        // Slurm's limit; then killed
// [[submit_rule]] and submit_program.
inline constexpr std::size_t submit_rules_max = 256;
inline constexpr std::size_t submit_conditions_max = 64;  // in one rule
inline constexpr std::size_t submit_condition_bytes_max = 1024;
inline constexpr std::int64_t submit_run_ms_max = 9'000;  // clients wait 10 s for an answer
inline constexpr std::size_t submit_waiting_max = 1'000;  // submissions waiting for the program
inline constexpr std::size_t submit_waiting_per_user_max = 200;
inline constexpr std::size_t submit_waiting_bytes_max = 128u << 20;  // of all waiting submissions
inline constexpr std::size_t submit_answer_bytes_max = 256u << 10;   // written by the program
inline constexpr std::size_t task_prolog_bytes_max = 1u << 20;       // written by a task prolog
inline constexpr std::size_t suspensions_kept_max = 64;  // records of suspensions, for each attempt
inline constexpr std::size_t steps_live_max = 10'000;    // steps of srun, for each job
inline constexpr std::size_t steps_kept_max = 1'000;     // ended steps in memory, for each job
inline constexpr std::size_t saved_steps_max = 8;        // reported steps kept per rank
inline constexpr std::int64_t training_step_max = 1'000'000'000'000'000;  // of a job's own steps
inline constexpr std::int64_t progress_every_ms =
    15'000;  // what a job says of it is told on so often
inline constexpr std::size_t progress_metrics_max = 8;
inline constexpr std::size_t metric_name_bytes_max = 64;
inline constexpr std::size_t metric_value_bytes_max = 32;
inline constexpr std::size_t checkpoint_files_max = 100'000;  // files one rank may save in a step

}  // namespace cox::limits
