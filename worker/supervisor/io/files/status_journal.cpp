#include "worker/supervisor/io/files/status_journal.h"

#include <fcntl.h>

#include <cerrno>
#include <string_view>

#include "common/base/content_hash.h"
#include "common/base/limits.h"
#include "common/job/supervisor_folder.h"
#include "common/messages/codec.h"

namespace cox {

namespace {

// A journal that would become larger is replaced by one with only the newest status.
constexpr std::size_t journal_bytes_max = 1 << 20;
constexpr std::size_t length_digits = 8;
constexpr std::size_t hash_digits = 32;
constexpr std::size_t head_bytes = length_digits + hash_digits;
constexpr unsigned mode = 0600;

// Returns an entry of the journal: the length in hexadecimal digits, the hash, the encoded status.
std::string record_of(const AttemptStatus& status) {
  const std::string body = encode_status(status);
  std::string length;
  for (std::size_t i = 0; i < length_digits; ++i)
    length += "0123456789abcdef"[body.size() >> 4 * (length_digits - 1 - i) & 15];
  return length + content_hash(body) + body;
}

// Removes the first entry from `left` and returns its status. None: `left` does not begin with a
// complete entry.
std::optional<AttemptStatus> take_record(std::string_view& left) {
  if (left.size() < head_bytes) return std::nullopt;
  const std::string length(left.substr(0, length_digits));
  const std::size_t bytes = std::strtoul(length.c_str(), nullptr, 16);
  if (left.size() - head_bytes < bytes) return std::nullopt;
  const std::string_view body = left.substr(head_bytes, bytes);
  if (content_hash(body) != left.substr(length_digits, hash_digits)) return std::nullopt;
  auto status = decode_status(body);
  if (!status) return std::nullopt;
  left.remove_prefix(head_bytes + bytes);
  return std::move(*status);
}

}  // namespace

StatusJournal::StatusJournal(const std::string& folder)
    : path_(folder + "/" + supervisor_folder::status_file) {}

Failure StatusJournal::write(const AttemptStatus& status, Outlives outlives) {
  const std::string record = record_of(status);
  if (bytes_ > 0 && bytes_ + record.size() <= journal_bytes_max) return append(record, outlives);
  file_.reset();
  bytes_ = 0;
  name_is_durable_ = outlives == Outlives::Machine;
  if (Failure failure = replace_file(path_, record, mode, outlives)) return failure;
  file_.reset(::open(path_.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  // If it is not open, the next status replaces the file.
  if (file_.is_open()) bytes_ = record.size();
  return std::nullopt;
}

Failure StatusJournal::append(const std::string& record, Outlives outlives) {
  if (outlives == Outlives::Machine && !name_is_durable_) {
    if (Failure failure = sync_folder(path_.substr(0, path_.rfind('/')))) return failure;
    name_is_durable_ = true;
  }
  const ssize_t written = ::write(file_.get(), record.data(), record.size());
  const bool whole = written == static_cast<ssize_t>(record.size());
  const int error = written < 0 ? errno : ENOSPC;
  if (whole && (outlives == Outlives::Processes || ::fdatasync(file_.get()) == 0)) {
    bytes_ += record.size();
    return std::nullopt;
  }
  bytes_ = 0;  // the file may be damaged now: the next status replaces it
  return io_refusal(path_, whole ? "sync" : "write", whole ? errno : error);
}

bool StatusJournal::is_begun(const std::string& folder) {
  const std::string path = folder + "/" + supervisor_folder::status_file;
  return ::access(path.c_str(), F_OK) == 0 || errno != ENOENT;
}

std::optional<AttemptStatus> StatusJournal::read(const std::string& folder) {
  const std::string path = folder + "/" + supervisor_folder::status_file;
  const auto bytes = read_file(path, journal_bytes_max + limits::frame_bytes_max);
  if (!bytes) return std::nullopt;
  std::optional<AttemptStatus> newest;
  std::string_view left = *bytes;
  while (auto status = take_record(left)) newest = std::move(status);
  return newest;
}

}  // namespace cox
