#include "worker/supervisor/io/files/checkpoint_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "worker/supervisor/io/files/files.h"
#include "worker/supervisor/io/files/open_beneath.h"

namespace cox {

namespace {

constexpr int folder_flags = O_RDONLY | O_DIRECTORY;
// The mode of the job's folder: the job's user can enter it, but not write to it.
constexpr mode_t job_mode = 0711;
// The mode of a new folder: nobody else can enter the folder before it has its final owner.
constexpr mode_t new_mode = 0700;
constexpr mode_t writable_by_others = S_IWGRP | S_IWOTH;
constexpr const char* taken_hint = "remove it, or give it to the job's user";

struct Folder {
  Descriptor fd;
  struct stat facts {};
  std::optional<FolderRefused> refused = std::nullopt;
};

FolderRefused refused_by_system(const std::string& path, const std::string& verb) {
  return {io_refusal(path, verb, errno), false};
}

FolderRefused taken(const std::string& path, const std::string& what) {
  return {{path + " is " + what, taken_hint}, true};
}

// Makes the folder if it does not exist, and opens it.
Folder enter(int parent, const std::string& name, const std::string& path) {
  Folder folder;
  const bool is_there = ::mkdirat(parent, name.c_str(), new_mode) == 0 || errno == EEXIST;
  if (!is_there) {
    folder.refused = refused_by_system(path, "make folder");
    return folder;
  }
  folder.fd = open_beneath(parent, name, folder_flags);
  if (!folder.fd.is_open() && (errno == ELOOP || errno == ENOTDIR))
    folder.refused = taken(path, "a link or a file, where a checkpoint folder must be");
  else if (!folder.fd.is_open() || ::fstat(folder.fd.get(), &folder.facts) != 0)
    folder.refused = refused_by_system(path, "open");
  return folder;
}

bool is_ours(const Folder& folder) {
  return folder.facts.st_uid == ::geteuid() && (folder.facts.st_mode & writable_by_others) == 0;
}

FolderRefused foreign(const std::string& path, const Folder& folder) {
  const std::string uid = std::to_string(folder.facts.st_uid);
  if (folder.facts.st_uid == ::geteuid()) return taken(path, "a folder that others may write");
  return taken(path, "a folder of uid " + uid + ", who is not the job's user");
}

// Becomes the owner of the job's folder if the job's user owns it, so that the user can add nothing
// to it.
std::optional<FolderRefused> keep_job_folder(const Folder& job, const CheckpointFolder& wanted,
                                             const std::string& path) {
  if (!is_ours(job) && job.facts.st_uid != wanted.uid) return foreign(path, job);
  if (!is_ours(job) && ::fchown(job.fd.get(), ::geteuid(), ::getegid()) != 0)
    return refused_by_system(path, "take over");
  if (::fchmod(job.fd.get(), job_mode) != 0) return refused_by_system(path, "open to the user");
  return std::nullopt;
}

std::optional<FolderRefused> give_attempt_folder(const Folder& attempt,
                                                 const CheckpointFolder& wanted,
                                                 const std::string& path) {
  if (attempt.facts.st_uid == wanted.uid) return std::nullopt;
  // An attempt folder that belongs to this process's user was made by this process or by another
  // node of the job. No user can have moved it here, because users cannot write to the job's
  // folder.
  if (!is_ours(attempt)) return foreign(path, attempt);
  if (::fchown(attempt.fd.get(), wanted.uid, wanted.gid) != 0)
    return refused_by_system(path, "give to the user");
  return std::nullopt;
}

}  // namespace

std::optional<FolderRefused> make_checkpoint_folder(int root, const CheckpointFolder& wanted) {
  const bool is_own = wanted.uid == ::geteuid();
  const std::string job_path = wanted.root + "/" + wanted.job;
  const Folder job = enter(root, wanted.job, job_path);
  if (job.refused) return job.refused;
  if (!is_own)
    if (auto refused = keep_job_folder(job, wanted, job_path)) return refused;
  const std::string attempt_path = job_path + "/" + wanted.attempt;
  const Folder attempt = enter(job.fd.get(), wanted.attempt, attempt_path);
  if (attempt.refused) return attempt.refused;
  if (is_own) return std::nullopt;
  return give_attempt_folder(attempt, wanted, attempt_path);
}

}  // namespace cox
