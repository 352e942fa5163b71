// Every bound on input from outside, by name and unit. Refusals quote these values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cox::limits {

inline constexpr std::size_t frame_bytes_max = 16u << 20;  // one ZeroMQ frame
inline constexpr std::size_t frame_depth_max = 16;         // nesting of msgpack values in a frame
inline constexpr std::size_t frame_messages_max = 4096;    // messages in one frame
// Bytes of memory that one decoded frame may need: decoded_bytes_base, plus
// decoded_bytes_per_byte_max for each byte of the frame; in all at most decoded_bytes_max.
inline constexpr std::size_t decoded_bytes_base = 1u << 20;
inline constexpr std::size_t decoded_bytes_per_byte_max = 128;
inline constexpr std::size_t decoded_bytes_max = 256u << 20;
// How many events may wait for the controller's next turn (a round of its loop), and how many of
// them one turn takes (fair_queue.h).
inline constexpr std::size_t queued_events_max = 100'000;
inline constexpr std::size_t queued_events_per_connection_max = 10'000;
inline constexpr std::size_t queued_bytes_max = 256u << 20;  // of frames
inline constexpr std::size_t turn_events_max = 1'000;
inline constexpr std::int64_t turn_work_max = 1'000;     // one submitted job is 1, about 10 us
inline constexpr std::size_t reads_waiting_max = 1'000;  // reads that PostgreSQL has not answered
// Reads of one connection that PostgreSQL has not answered.
inline constexpr std::size_t reads_per_connection_max = 64;
// An offence is a message that no program of ours would send. Its sender is muted for a time: its
// messages are dropped (offences.h). offences_tolerated_max is the number of offences, over all
// connections of one sender, before that sender is muted on every connection.
inline constexpr std::int64_t offences_tolerated_max = 3;
inline constexpr std::int64_t mute_first_s = 10;
inline constexpr std::int64_t mute_most_s = 600;  // longest mute; each offence doubles it
// Without an offence, earlier ones are forgotten.
inline constexpr std::int64_t mute_forgotten_s = 600;
inline constexpr std::size_t offenders_kept_max = 4096;
inline constexpr std::int64_t offence_log_interval_ms = 1'000;
// Time that one call of Listener::receive() may take. It ends after the frame in progress.
inline constexpr std::int64_t receive_ms_max = 5;
// Bounds of the connections to a listening program (connection_book.h). connections_per_key is the
// default of the setting of that name: connections of one key or local user.
inline constexpr std::int64_t connections_per_key = 4096;
// TCP connections without a proven key.
inline constexpr std::size_t unproven_connections_max = 1024;
// Bytes of one frame before a key is proven.
inline constexpr std::size_t handshake_frame_bytes_max = 2048;
// What each message part counts besides its data. libzmq needs 64 bytes for it. It counts more,
// because our messages have one part, and libzmq does not bound the parts of a message. So at most
// 65,536 parts of a connection are in memory before the program takes them.
inline constexpr std::int64_t frame_overhead_bytes = 1'024;
// Bytes of one connection that libzmq has received and the program has not taken.
inline constexpr std::int64_t unread_bytes_per_connection_max = 64ll << 20;
inline constexpr std::int64_t unread_bytes_max = 256ll << 20;  // over all connections
// How often a listener checks whether key files were removed.
inline constexpr std::int64_t key_folder_look_ms = 1'000;
inline constexpr std::size_t script_bytes_max = 4u << 20;  // Slurm's MaxScriptSize
// All environment variables of one job.
inline constexpr std::size_t environment_bytes_max = 2u << 20;
// One environment variable: the kernel's limit.
inline constexpr std::size_t variable_bytes_max = 128u << 10;
inline constexpr std::size_t command_bytes_max = 1u << 20;  // all words of a gang's command
inline constexpr std::size_t command_words_max = 4096;
inline constexpr std::size_t name_bytes_max = 1024;   // job names
inline constexpr std::size_t partitions_max = 1'000;  // configured, and created at run time
inline constexpr std::size_t word_bytes_max = 256;    // name of a partition, QOS, feature or node
inline constexpr std::size_t path_bytes_max = 4096;
inline constexpr std::size_t reason_bytes_max = 1024;  // --reason texts
// Sizes of files that a user names on the command line and the client reads. named_file_bytes_max
// is for files without a limit of their own, such as that of sacctmgr load.
inline constexpr std::size_t named_file_bytes_max = 64u << 20;
// The file in SLURM_HOSTFILE or --nodelist.
inline constexpr std::size_t host_file_bytes_max = 1u << 20;
inline constexpr std::size_t multi_prog_bytes_max = 4u << 20;  // of srun --multi-prog
inline constexpr std::size_t hostlist_nodes_max = 65536;       // names that one hostlist stands for
inline constexpr std::int64_t nodes_per_job_max = 16384;
inline constexpr std::int64_t job_components_max = 16;  // components of a heterogeneous job
inline constexpr std::int64_t tasks_per_job_max = 262144;
inline constexpr std::int64_t cpus_per_task_max = 4096;
inline constexpr std::int64_t gpus_per_node_max = 64;
inline constexpr std::int64_t gpus_per_job_max = nodes_per_job_max * gpus_per_node_max;
inline constexpr std::size_t gpu_types_max = 16;     // types of GPU that one job accepts
inline constexpr std::int64_t gpu_ratio_max = 1000;  // ratio of the speeds of two GPU types
inline constexpr std::size_t gres_kinds_max = 16;    // entries of one --gres
// Large, since a GRES may count bytes.
inline constexpr std::int64_t gres_count_max = std::int64_t{1} << 50;
inline constexpr std::size_t topology_levels_max = 8;
inline constexpr std::size_t stored_options_max = 64;    // entries of JobSpec::stored_options
inline constexpr std::size_t wish_bytes_max = 4096;      // text of one option such as --gres
inline constexpr std::int64_t nice_max = 2'147'483'645;  // Slurm's limit
inline constexpr std::size_t licences_per_job_max = 16;
inline constexpr std::int64_t licence_count_max = 1'000'000;
inline constexpr std::size_t node_sizes_max = 64;  // sizes that one --nodes lists
inline constexpr std::size_t constraint_bytes_max = 1024;
inline constexpr std::size_t constraint_words_max = 64;  // features named in a constraint
inline constexpr std::size_t constraint_depth_max = 16;  // nested brackets
// Demands joined by & in one alternative, once brackets are multiplied out.
inline constexpr std::size_t constraint_clauses_max = 32;
inline constexpr std::size_t constraint_alternatives_max = 32;  // once all [a|b] are multiplied out
inline constexpr std::size_t topology_domains_max = 65536;      // switches, or blocks
// Levels of switches, or of blocks, above a node.
inline constexpr std::size_t topology_depth_max = 16;
inline constexpr std::int64_t memory_mb_per_node_max = std::int64_t{1} << 30;  // one PiB
// Load average in per cent: a load of 1,000,000.
inline constexpr std::int64_t cpu_load_percent_max = 100'000'000;
inline constexpr std::int64_t time_limit_s_max = 366ll * 24 * 3600;
// How far in the future a moment such as --begin may lie.
inline constexpr std::int64_t moment_seconds_max = 100ll * 366 * 24 * 3600;
// Amount of one resource in a limit.
inline constexpr std::int64_t tres_count_max = std::int64_t{1} << 50;
inline constexpr std::size_t tres_per_list_max = 32;      // resources in one limit
inline constexpr std::size_t accounting_words_max = 256;  // words in one request of sacctmgr
// Requests of sacctmgr in one SQL CALL cox.sacctmgr.
inline constexpr std::size_t accounting_lines_max = 1'000;
// Characters of all sacctmgr requests in one SQL call: the limit of the column cox.request.
inline constexpr std::size_t accounting_text_characters_max = 131'072;
inline constexpr std::size_t account_bytes_max = 64;  // the name of an account or a user
inline constexpr std::size_t account_depth_max = 16;  // nested accounts
// Requests of sacctmgr of which all or none are done.
inline constexpr std::size_t accounting_requests_max = 20'000;
// Accounts, and users in accounts, together.
inline constexpr std::size_t associations_max = 100'000;
inline constexpr std::int64_t fair_shares_max = 1'000'000;  // of one association
// The texts of --dependency of all jobs in one request, together.
inline constexpr std::size_t dependency_bytes_per_request_max = 1u << 20;
// Jobs that have left the controller's memory, on which the jobs of one request depend. The
// controller reads them from PostgreSQL.
inline constexpr std::size_t recalls_per_request_max = 64;
inline constexpr std::size_t dependencies_per_job_max = 10'000;  // jobs that one job depends on
inline constexpr std::int64_t array_tasks_max = 100'000;         // of one array
inline constexpr std::int64_t array_task_id_max = 4'000'000;     // Slurm's maximum
inline constexpr std::int64_t signal_seconds_max = 65535;        // as Slurm's --signal
inline constexpr std::size_t jobs_max = 1'000'000;  // jobs that have not ended; Slurm's MaxJobCount
inline constexpr std::size_t jobs_per_request_max = 5'000;  // jobs that one request submits
inline constexpr std::size_t request_ids_max = 64;          // job ids in one request
// Job ids on one command line; the client sends them in several requests.
inline constexpr std::size_t named_ids_max = 100'000;
inline constexpr std::size_t page_rows_max = 1000;   // rows in one reply with a list
inline constexpr std::size_t brief_rows_max = 5000;  // rows in one reply with JobSummary rows
// Approximate size of a reply with a list: the reply ends with the row that exceeds it.
inline constexpr std::size_t page_bytes_max = 4u << 20;
inline constexpr std::size_t wait_rows_per_turn_max = 2'000;      // of cox.job_wait
inline constexpr std::size_t snapshot_bytes_max = 512u << 20;     // of `cox snapshot`
inline constexpr std::size_t snapshot_part_bytes_max = 4u << 20;  // in one reply
inline constexpr std::size_t log_chunk_bytes_max = 256u << 10;
// Free space in spool_dir, without which a node launches no job.
inline constexpr std::size_t spool_bytes_min = frame_bytes_max;
inline constexpr std::size_t node_failures_kept_max = 32;  // newest failures that each node keeps
// How many of a node's newest returns from silence are kept. A node returns when it responds again.
inline constexpr std::size_t node_returns_kept_max = 8;
// These three limit how the controller looks up groups for AllowGroups of partitions. A request
// that names groups waits at most group_lookup_ms_max for the look-up, and is refused after that.
inline constexpr std::int64_t group_lookup_ms_max = 10'000;
// How often a group that was not found is looked up again.
inline constexpr std::int64_t group_lookup_interval_ms = 60'000;
inline constexpr std::size_t group_lookups_max = 64;  // at a time
// After this time fence_program is killed.
inline constexpr std::int64_t fence_run_ms_max = 60'000;
inline constexpr std::size_t fence_output_bytes_max = 1'000;  // output of fence_program in the log
// The first bytes of the output of a prolog, an epilog or another program of the site; the rest is
// dropped.
inline constexpr std::size_t site_output_bytes_max = 1'000;
inline constexpr std::size_t container_words_max = 64;  // words of the setting container_command
// Advance reservations in which one turn of the controller replaces unusable nodes and ends unused
// occurrences. The next turn continues with others.
inline constexpr std::size_t reservations_kept_up_max = 16;
// Mounts or variables in one container option.
inline constexpr std::size_t container_parts_max = 64;
// Size of one user's crontab.
inline constexpr std::size_t crontab_bytes_max = 64u << 10;
inline constexpr std::size_t crontab_lines_max = 100;  // lines with a schedule and a command
// strigger.
inline constexpr std::size_t event_triggers_max = 10'000;          // triggers of all users together
inline constexpr std::size_t event_triggers_per_user_max = 1'000;  // the cluster's owner is exempt
inline constexpr std::int64_t trigger_offset_s_max = 32'000;       // Slurm's limit, also negative
inline constexpr std::size_t trigger_words_max = 62;         // words of --program; Slurm's limit
inline constexpr std::int64_t trigger_run_ms_max = 300'000;  // Slurm's limit; then killed
// [[submit_rule]] and submit_program.
inline constexpr std::size_t submit_rules_max = 256;
inline constexpr std::size_t submit_conditions_max = 64;  // in one rule
inline constexpr std::size_t submit_condition_bytes_max = 1024;
// Longest timeout of submit_program; clients wait 10 s for a reply.
inline constexpr std::int64_t submit_run_ms_max = 9'000;
// Submissions that wait for submit_program.
inline constexpr std::size_t submit_waiting_max = 1'000;
inline constexpr std::size_t submit_waiting_per_user_max = 200;
// Bytes of all submissions that wait for submit_program.
inline constexpr std::size_t submit_waiting_bytes_max = 128u << 20;
inline constexpr std::size_t submit_answer_bytes_max = 256u << 10;  // output of submit_program
inline constexpr std::size_t task_prolog_bytes_max = 1u << 20;      // output of a task prolog
// Newest suspensions that each attempt keeps.
inline constexpr std::size_t suspensions_kept_max = 64;
inline constexpr std::size_t steps_live_max = 10'000;  // steps of one job that have not ended
// Ended steps of one job in the controller's memory.
inline constexpr std::size_t steps_kept_max = 1'000;
inline constexpr std::size_t saved_steps_max = 8;  // newest saved training steps kept for each rank
// The highest training step that a job may report.
inline constexpr std::int64_t training_step_max = 1'000'000'000'000'000;
inline constexpr std::int64_t progress_every_ms =
    15'000;  // how often a supervisor reports a job's progress
inline constexpr std::size_t progress_metrics_max = 8;
inline constexpr std::size_t metric_name_bytes_max = 64;
inline constexpr std::size_t metric_value_bytes_max = 32;
// Files that one rank may save in one training step.
inline constexpr std::size_t checkpoint_files_max = 100'000;

}  // namespace cox::limits
