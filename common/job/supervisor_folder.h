// The files of a supervisor, and the environment variables by which ranks find them. Used by the
// worker, the supervisor and `cox checkpoint done`.
#pragma once

namespace cox::supervisor_folder {

// In the folder <spool>/: the log of all supervisors of a node, and the random identity of the
// spool folder, by which the controller sees that a worker has another one than before.
inline constexpr const char* log_file = "supervisors.log";
inline constexpr const char* spool_id_file = "spool_id";
inline constexpr const char* gpus_file = "gpus";  // worker/io/known_gpus.h
// Exit code of `cox-supervisor --verify-checkpoint`: files were read and differ. 0: they verify;
// any other code: they cannot be read.
inline constexpr int exit_differs = 3;

// Below <spool>/<job>.<attempt>/
inline constexpr const char* launch_file = "launch";  // encode_launch
inline constexpr const char* status_file = "status";  // see status_journal.h
// Boot id, pid and start time of the supervisor, which keeps the file locked.
inline constexpr const char* identity_file = "identity";
// Exists if the cluster's owner has ended the supervisor (cox down): the node is not at fault.
inline constexpr const char* ended_file = "ended_by_owner";
// Stream socket of the supervisor. Each frame follows its length, 4 bytes in little-endian order.
inline constexpr const char* socket_file = "socket";
inline constexpr const char* reason_file = "reason";  // COX_STOP_REASON_FILE: name(StopWhy)

// Environment variable of every supervisor: the spool folder.
inline constexpr const char* variable_spool = "COX_SPOOL_DIR";
// Environment variable of every supervisor: the node and the controllers of its worker. Another
// worker with the same ones, but another spool folder, takes the place of that worker.
inline constexpr const char* variable_worker = "COX_WORKER";

// Environment variables of every rank.
inline constexpr const char* variable_socket = "COX_SUPERVISOR_SOCKET";
inline constexpr const char* variable_attempt = "COX_ATTEMPT_ID";  // <cluster>/<job>.<attempt>
inline constexpr const char* variable_rank = "COX_RANK";
// Number of the step; set only for tasks of srun.
inline constexpr const char* variable_step = "COX_JOB_STEP";
inline constexpr const char* variable_checkpoint_dir = "COX_CHECKPOINT_DIR";
inline constexpr const char* variable_resume_from = "COX_RESUME_FROM";  // .../step-N
inline constexpr const char* variable_reason_file = "COX_STOP_REASON_FILE";
inline constexpr const char* variable_signal = "COX_CHECKPOINT_SIGNAL";  // "USR1", "USR1,USR2"
// See given_variables.h; the step daemon sets it for the tasks of srun, too.
inline constexpr const char* variable_given = "COX_GIVEN_VARIABLES";
// Set only if the names of nodes are no names of hosts; see node_addresses.h.
inline constexpr const char* variable_node_addresses = "COX_NODE_ADDRESSES";

}  // namespace cox::supervisor_folder
