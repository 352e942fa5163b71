#include "worker/supervisor/io/files/seal.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "worker/supervisor/io/files/descriptor.h"
#include "worker/supervisor/io/files/files.h"
#include "worker/supervisor/manifest.h"

namespace cox {

namespace {

constexpr std::size_t manifest_bytes_max = 64u << 20;
constexpr std::size_t depth_max = 64;
constexpr std::int64_t rank_max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t verify_threads_max = 16;
constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int file_flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

std::string as_hex(XXH128_hash_t hash) {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

std::string rank_name(std::int32_t rank) {
  return "rank-" + std::to_string(rank);
}

// Sets the size and the hash in `file` from the content of the open file.
Failure hash_file(int fd, SavedFile& file) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              XXH3_freeState);
  CHECK(state != nullptr && XXH3_128bits_reset(state.get()) == XXH_OK);
  std::vector<char> buffer(1u << 17);  // small enough to stay in the CPU's cache
  file.bytes = 0;
  while (true) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_refusal(file.path, "read", errno);
    if (n == 0) break;
    XXH3_128bits_update(state.get(), buffer.data(), static_cast<std::size_t>(n));
    file.bytes += n;
  }
  file.hash = as_hex(XXH3_128bits_digest(state.get()));
  return std::nullopt;
}

// Returns the sorted names in an open folder. An error is not the end of the folder: without the
// rest of the names, an incomplete save would be sealed as sound.
Result<std::vector<std::string>> names_in(DIR* folder, const std::string& path) {
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) return io_refusal(path, "read", errno);
  std::ranges::sort(names);
  return names;
}

using SealFailure = std::optional<SealFault>;

// Returns that what was saved can be no checkpoint, also if it is looked at again.
SealFault no_checkpoint(std::string fact, std::string hint) {
  SealFault fault(Refusal{std::move(fact), std::move(hint)});
  fault.is_unknown = false;
  return fault;
}

// Returns that the place of the save cannot be reached now.
SealFault not_reached(const std::string& path, const std::string& verb, int error) {
  SealFault fault(io_refusal(path, verb, error));
  fault.may_retry = true;
  return fault;
}

// Visits all files that one rank saved: syncs and hashes each, or only lists it. Syncs folders.
class Walk {
 public:
  enum class Purpose : std::uint8_t { Seal, List };
  explicit Walk(Purpose purpose) : purpose_(purpose) {}

  std::vector<SavedFile> files;      // without hashes if they are only listed
  std::vector<timespec> changed_at;  // of listed files: when each was last changed

  SealFailure visit(int parent_fd, const std::string& name, const std::string& path,
                    std::size_t depth) {
    struct stat facts {};
    if (::fstatat(parent_fd, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      return io_refusal(path, "read", errno);
    }
    if (S_ISREG(facts.st_mode)) return visit_file(parent_fd, name, path, facts);
    if (S_ISDIR(facts.st_mode)) return visit_folder(parent_fd, name, path, depth);
    return no_checkpoint(path + ": neither a file nor a folder",
                         "save plain files: a link or a pipe cannot be verified later");
  }

 private:
  SealFailure visit_file(int parent_fd, const std::string& name, const std::string& path,
                         const struct stat& facts) {
    if (files.size() >= limits::checkpoint_files_max) {
      return no_checkpoint("more than " + std::to_string(limits::checkpoint_files_max) +
                               " files, the limit for one rank's checkpoint",
                           "save into fewer files");
    }
    if (purpose_ == Purpose::List) {
      files.push_back({path, facts.st_size, ""});
      changed_at.push_back(facts.st_ctim);
      return std::nullopt;
    }
    const Descriptor fd(::openat(parent_fd, name.c_str(), file_flags));
    if (!fd.is_open()) return io_refusal(path, "open", errno);
    if (::fsync(fd.get()) != 0) return io_refusal(path, "sync", errno);
    SavedFile file;
    file.path = path;
    if (Failure failure = hash_file(fd.get(), file)) return SealFault(std::move(*failure));
    files.push_back(std::move(file));
    return std::nullopt;
  }

  SealFailure visit_folder(int parent_fd, const std::string& name, const std::string& path,
                           std::size_t depth) {
    if (depth > depth_max) {
      return no_checkpoint(path + ": deeper than " + std::to_string(depth_max) + " folders", "");
    }
    const int fd = ::openat(parent_fd, name.c_str(), folder_flags);
    DIR* folder = fd < 0 ? nullptr : ::fdopendir(fd);
    if (folder == nullptr) return io_refusal(path, "open", errno);
    const auto names = names_in(folder, path);
    SealFailure failure;
    if (!names) failure = names.refusal();
    for (std::size_t i = 0; !failure && i < names->size(); ++i)
      failure = visit(fd, (*names)[i], path + "/" + (*names)[i], depth + 1);
    if (!failure && ::fsync(fd) != 0) failure = io_refusal(path, "sync", errno);
    ::closedir(folder);
    return failure;
  }

  const Purpose purpose_;
};

VerifyFault unreadable(const std::string& path, int error) {
  return {ResumeFault::Unreadable, io_refusal(path, "read", error)};
}

VerifyFault differs(std::string fact) {
  return {ResumeFault::Differs, {std::move(fact), ""}};
}

// Opens a file below a folder without following symbolic links. On failure errno says why.
Descriptor open_below(int folder_fd, const std::string& path) {
  Descriptor at(::fcntl(folder_fd, F_DUPFD_CLOEXEC, 0));
  std::size_t begin = 0;
  for (std::size_t slash = path.find('/'); at.is_open() && slash != std::string::npos;
       slash = path.find('/', begin)) {
    const std::string name = path.substr(begin, slash - begin);
    if (name == "..") {
      errno = EINVAL;
      return Descriptor();
    }
    at.reset(::openat(at.get(), name.c_str(), folder_flags));
    begin = slash + 1;
  }
  if (!at.is_open()) return at;
  return Descriptor(::openat(at.get(), path.substr(begin).c_str(), file_flags));
}

// Appends the files that a manifest lists.
std::optional<VerifyFault> read_manifest(const std::string& path, const std::string& identity,
                                         std::vector<SavedFile>& files) {
  errno = 0;
  const auto text = read_file(path, manifest_bytes_max);
  if (!text) return unreadable(path, errno == 0 ? EFBIG : errno);
  auto manifest = parse_manifest(*text);
  if (!manifest) return differs(path + ": damaged");
  if (!manifest->identity.empty() && manifest->identity != identity)
    return differs(path + ": another job saved it: the job with the identity " +
                   manifest->identity + ", not " + identity);
  std::ranges::move(manifest->files, std::back_inserter(files));
  return std::nullopt;
}

// Checks that files below a folder are as they were sealed, several at a time.
class FileChecks {
 public:
  FileChecks(int folder_fd, const std::string& step_dir, const std::vector<SavedFile>& files)
      : folder_fd_(folder_fd), step_dir_(step_dir), files_(files), failed_(files.size()) {}

  // Returns the fault of the first file that is not as it was sealed. `threads`: at least 1.
  std::optional<VerifyFault> first_fault(std::int64_t threads) {
    const std::size_t wanted = std::min(files_.size(), static_cast<std::size_t>(threads));
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < wanted) others.emplace_back([this] { check_files(); });
    } catch (const std::system_error&) {
      // The user may have no more threads. Those that began check all files.
    }
    check_files();
    others.clear();  // waits for them
    return fault_;
  }

 private:
  void check_files() {
    for (std::size_t i = next_++; i < failed_; i = next_++) {
      auto fault = check(files_[i]);
      if (!fault) continue;
      const std::lock_guard lock(mutex_);
      if (i < failed_) fault_ = std::move(fault);
      failed_ = std::min(i, failed_.load());
    }
  }

  std::optional<VerifyFault> check(const SavedFile& sealed) const {
    const std::string shown = step_dir_ + "/" + sealed.path;
    const Descriptor fd = open_below(folder_fd_, sealed.path);
    if (!fd.is_open()) return unreadable(shown, errno);
    SavedFile now = sealed;
    if (Failure failure = hash_file(fd.get(), now))
      return VerifyFault{ResumeFault::Unreadable, std::move(*failure)};
    if (now.bytes != sealed.bytes)
      return differs(shown + ": has " + std::to_string(now.bytes) + " bytes, sealed with " +
                     std::to_string(sealed.bytes));
    if (now.hash != sealed.hash) return differs(shown + ": its content has changed");
    return std::nullopt;
  }

  const int folder_fd_;
  const std::string& step_dir_;
  const std::vector<SavedFile>& files_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> failed_;  // the first file that failed, of those checked so far
  std::mutex mutex_;
  std::optional<VerifyFault> fault_;  // of file `failed_`; under mutex_
};

// Returns what a step's folder has instead of a rank's files: "; found instead: rank0, tmp". The
// rank's own folder without files is left out; "" if there is nothing else.
std::string found_instead(const std::string& step_dir, std::int32_t rank) {
  constexpr std::size_t found_max = 5;
  DIR* folder = ::opendir(step_dir.c_str());
  if (folder == nullptr) return "; " + io_refusal(step_dir, "open", errno).fact;
  auto names = names_in(folder, step_dir);
  ::closedir(folder);
  if (!names) return "; " + names.refusal().fact;
  if (names->empty()) return "; its folder is empty";
  std::erase(*names, rank_name(rank));
  if (names->empty()) return "";
  const std::size_t more = names->size() - std::min(names->size(), found_max);
  names->resize(names->size() - more);
  return "; found instead: " + printable(joined(*names, ", ")) +
         (more == 0 ? "" : " and " + std::to_string(more) + " more");
}

SealFault no_file_saved(const std::string& step_dir, std::int32_t rank, bool has_entry) {
  const std::string wanted = step_dir + "/" + rank_name(rank);
  return no_checkpoint((has_entry ? wanted + " has no file" : "there is no " + wanted) +
                           ", so this step is no checkpoint" + found_instead(step_dir, rank),
                       "save into that folder or file, then report the step");
}

// Returns the first file that is not in both lists, or has another size in them; "": none.
std::string first_difference(const std::vector<SavedFile>& sealed,
                             const std::vector<SavedFile>& now) {
  for (std::size_t i = 0; i < std::max(sealed.size(), now.size()); ++i) {
    if (i >= sealed.size()) return now[i].path;
    if (i >= now.size()) return sealed[i].path;
    if (sealed[i].path == now[i].path && sealed[i].bytes == now[i].bytes) continue;
    const bool is_new = std::ranges::find(sealed, now[i].path, &SavedFile::path) == sealed.end();
    return is_new ? now[i].path : sealed[i].path;
  }
  return "";
}

bool is_before(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

SealFault changed_since_report(const std::string& file, std::int64_t step,
                               const std::vector<SavedFile>& sealed) {
  std::int64_t bytes = 0;
  for (const SavedFile& each : sealed) bytes += each.bytes;
  return no_checkpoint("step " + std::to_string(step) + " was already reported with " +
                           std::to_string(bytes) + " bytes in " + std::to_string(sealed.size()) +
                           (sealed.size() == 1 ? " file" : " files") + ", and " + printable(file) +
                           " has changed since; the files of a reported step must not change",
                       "save under a new step number");
}

// Refuses to replace a manifest that lists other files: another job step, maybe on another node,
// has written it.
SealFailure sealed_by_other(const std::string& path, const std::string& text, std::int64_t step,
                            std::int32_t rank) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0 && errno == ENOENT) return std::nullopt;
  const auto known = read_file(path, manifest_bytes_max);
  if (!known) return SealFault(io_refusal(path, "read", errno));
  if (*known == text) return std::nullopt;
  return no_checkpoint("step " + std::to_string(step) + " of rank " + std::to_string(rank) +
                           " was already saved by another job step",
                       "run each training as a job of its own, for example as a task of a job "
                       "array");
}

std::optional<std::int64_t> step_of(const std::string& name) {
  if (!name.starts_with("step-") || name.size() == 5 || name.size() > 5 + 18) return std::nullopt;
  const std::string digits = name.substr(5);
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::strtoll(digits.c_str(), nullptr, 10);
}

}  // namespace

Result<SavedStep, SealFault> seal(const std::string& attempt_dir, std::int64_t step,
                                  std::int32_t rank, const std::string& identity, NoFiles no_files,
                                  SavedBy saved_by) {
  const std::string step_dir = attempt_dir + "/step-" + std::to_string(step);
  if (::mkdir(step_dir.c_str(), 0755) != 0 && errno != EEXIST) {
    return not_reached(step_dir, "make folder", errno);
  }
  const Descriptor folder(::open(step_dir.c_str(), folder_flags));
  if (!folder.is_open() && (errno == ENOTDIR || errno == ELOOP))
    return no_checkpoint(step_dir + ": not a folder", "save below a folder of this name");
  if (!folder.is_open()) return not_reached(step_dir, "open", errno);
  Walk walk(Walk::Purpose::Seal);
  struct stat facts {};
  const bool saved_something =
      ::fstatat(folder.get(), rank_name(rank).c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
  if (!saved_something && errno != ENOENT)
    return not_reached(step_dir + "/" + rank_name(rank), "read", errno);
  if (saved_something) {
    const SealFailure failure = walk.visit(folder.get(), rank_name(rank), rank_name(rank), 0);
    if (failure) return *failure;
  }
  if (walk.files.empty() && no_files == NoFiles::Refused)
    return no_file_saved(step_dir, rank, saved_something);
  const std::string text = manifest_text({identity, walk.files});
  if (text.size() > manifest_bytes_max) {
    return no_checkpoint("the list of files of one rank is larger than 64 MiB",
                         "save into fewer files");
  }
  const std::string path = step_dir + "/" + rank_name(rank) + ".manifest";
  if (saved_by == SavedBy::JobStep)
    if (SealFailure refused = sealed_by_other(path, text, step, rank)) return *refused;
  Failure failure = replace_file(path, text, 0644, Outlives::Machine);
  if (!failure) failure = sync_folder(attempt_dir);
  if (failure) return SealFault(std::move(*failure));
  SavedStep saved;
  saved.step = step;
  saved.files = static_cast<std::int64_t>(walk.files.size());
  for (const SavedFile& file : walk.files) saved.bytes += file.bytes;
  return saved;
}

std::optional<SealFault> check_sealed(const std::string& attempt_dir, std::int64_t step,
                                      std::int32_t rank, const std::string& identity) {
  const std::string step_dir = attempt_dir + "/step-" + std::to_string(step);
  const std::string own = rank_name(rank);
  const Descriptor folder(::open(step_dir.c_str(), folder_flags));
  if (!folder.is_open()) return not_reached(step_dir, "open", errno);
  struct stat manifest {};
  if (::fstatat(folder.get(), (own + ".manifest").c_str(), &manifest, AT_SYMLINK_NOFOLLOW) != 0)
    return not_reached(step_dir + "/" + own + ".manifest", "read", errno);
  std::vector<SavedFile> sealed;
  if (auto fault = read_manifest(step_dir + "/" + own + ".manifest", identity, sealed)) {
    SealFault failure(std::move(fault->why));
    failure.is_unknown = fault->kind == ResumeFault::Unreadable;
    return failure;
  }
  Walk walk(Walk::Purpose::List);
  struct stat facts {};
  if (::fstatat(folder.get(), own.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0) {
    if (SealFailure failure = walk.visit(folder.get(), own, own, 0)) return failure;
  } else if (errno != ENOENT) {
    return not_reached(step_dir + "/" + own, "read", errno);
  }
  std::string changed = first_difference(sealed, walk.files);
  // A file that was changed before its manifest was written is the one that was hashed.
  for (std::size_t i = 0; changed.empty() && i < walk.files.size(); ++i) {
    if (is_before(walk.changed_at[i], manifest.st_mtim)) continue;
    const Descriptor fd = open_below(folder.get(), sealed[i].path);
    if (!fd.is_open()) return not_reached(step_dir + "/" + sealed[i].path, "open", errno);
    if (::fsync(fd.get()) != 0) return SealFault(io_refusal(sealed[i].path, "sync", errno));
    if (Failure failure = hash_file(fd.get(), walk.files[i])) return SealFault(std::move(*failure));
    if (walk.files[i].hash != sealed[i].hash) changed = sealed[i].path;
  }
  if (changed.empty()) return std::nullopt;
  return changed_since_report(changed, step, sealed);
}

Result<std::optional<std::int64_t>> newest_step(const std::string& attempt_dir, std::int32_t rank,
                                                std::int64_t above_step) {
  std::optional<std::int64_t> newest;
  DIR* folder = ::opendir(attempt_dir.c_str());
  if (folder == nullptr) return io_refusal(attempt_dir, "open", errno);
  const auto names = names_in(folder, attempt_dir);
  Failure failure;
  if (!names) failure = names.refusal();
  for (std::size_t i = 0; !failure && i < names->size(); ++i) {
    const auto step = step_of((*names)[i]);
    if (!step || *step <= above_step || (newest && *step <= *newest)) continue;
    const std::string saved = (*names)[i] + "/" + rank_name(rank);
    if (::faccessat(::dirfd(folder), saved.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0)
      newest = step;
    else if (errno != ENOENT)
      failure = io_refusal(attempt_dir + "/" + saved, "read", errno);
  }
  ::closedir(folder);
  if (failure) return *failure;
  return newest;
}

Result<std::vector<std::int32_t>> sealed_ranks(const std::string& step_dir) {
  constexpr std::string_view ending = ".manifest";
  DIR* folder = ::opendir(step_dir.c_str());
  if (folder == nullptr) return io_refusal(step_dir, "open", errno);
  const auto names = names_in(folder, step_dir);
  ::closedir(folder);
  if (!names) return names.refusal();
  std::vector<std::int32_t> ranks;
  for (const std::string& name : *names) {
    if (!name.starts_with("rank-") || !name.ends_with(ending)) continue;
    const auto rank = parse_count(name.substr(5, name.size() - 5 - ending.size()), 0, rank_max);
    if (rank) ranks.push_back(static_cast<std::int32_t>(*rank));
  }
  if (ranks.empty()) return io_refusal(step_dir + "/rank-R.manifest", "read", ENOENT);
  return ranks;
}

std::optional<VerifyFault> verify(const std::string& step_dir,
                                  const std::vector<std::int32_t>& ranks,
                                  const std::string& identity, std::int64_t cpus) {
  std::vector<SavedFile> files;
  for (const std::int32_t rank : ranks)
    if (auto fault = read_manifest(step_dir + "/" + rank_name(rank) + ".manifest", identity, files))
      return fault;
  const Descriptor folder(::open(step_dir.c_str(), folder_flags));
  if (!folder.is_open()) return unreadable(step_dir, errno);
  return FileChecks(folder.get(), step_dir, files)
      .first_fault(std::clamp<std::int64_t>(cpus, 1, verify_threads_max));
}

}  // namespace cox
