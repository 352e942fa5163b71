// Where a supervisor keeps its things, and the names in the ranks' environment that lead to it.
// Shared by the worker, the supervisor and `cox checkpoint done`.
#pragma once

namespace cox::supervisor_folder {

inline constexpr const char* log_file = "supervisors.log";  // in <spool>/: what they have to say

// Below <spool>/<job>.<attempt>/
inline constexpr const char* launch_file = "launch";      // encode_launch
inline constexpr const char* status_file = "status";      // see status_journal.h
inline constexpr const char* identity_file = "identity";  // boot id, pid, start time; locked
inline constexpr const char* socket_file = "socket";  // stream; frames behind a 4-byte length (LE)
inline constexpr const char* reason_file = "reason";  // COX_STOP_REASON_FILE: name(StopWhy)

// Environment of every rank.
inline constexpr const char* variable_socket = "COX_SUPERVISOR_SOCKET";
inline constexpr const char* variable_attempt = "COX_ATTEMPT_ID";  // <cluster>/<job>.<attempt>
inline constexpr const char* variable_rank = "COX_RANK";
inline constexpr const char* variable_step = "COX_JOB_STEP";  // of the tasks of job steps alone
inline constexpr const char* variable_checkpoint_dir = "COX_CHECKPOINT_DIR";
inline constexpr const char* variable_resume_from = "COX_RESUME_FROM";  // .../step-N
inline constexpr const char* variable_reason_file = "COX_STOP_REASON_FILE";
inline constexpr const char* variable_signal = "COX_CHECKPOINT_SIGNAL";  // "USR1", "USR1,USR2"

}  // namespace cox::supervisor_folder
