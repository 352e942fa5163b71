#include "worker/supervisor/io/cpu_claim.h"

#include <fcntl.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "worker/supervisor/io/files/files.h"

namespace cox {
namespace {

const std::string all_cpus = "/sys/devices/system/cpu/cpu";

std::int32_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::int32_t number = 0;
  return file >> number && number > 0 ? number : 0;
}

// Returns the NUMA domain of a CPU: the N of the entry nodeN in its folder. 0 if there is no such
// entry.
std::int32_t ldom_of(const std::string& folder) {
  std::error_code error;
  for (const auto& each : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = each.path().filename().string();
    if (name.starts_with("node") && name.size() > 4 && name[4] >= '0' && name[4] <= '9')
      return std::atoi(name.c_str() + 4);
  }
  return 0;
}

// A lock on byte lent_marks + N of the file marks CPU N as lent.
constexpr std::int32_t lent_marks = CPU_SETSIZE;

struct flock lock_of(std::int32_t byte, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

// Locks or unlocks a byte. `type`: F_WRLCK (exclusive), F_RDLCK (shared) or F_UNLCK.
bool lock_byte(int fd, std::int32_t byte, short type) {
  struct flock lock = lock_of(byte, type);
  return ::fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

bool is_lent(int fd, std::int32_t cpu) {
  struct flock lock = lock_of(lent_marks + cpu, F_WRLCK);
  return ::fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace

std::vector<CpuPlace> usable_cpus() {
  std::vector<CpuPlace> places;
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (::sched_getaffinity(0, sizeof usable, &usable) != 0) return places;
  for (std::int32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(static_cast<std::size_t>(cpu), &usable)) continue;
    const std::string folder = all_cpus + std::to_string(cpu);
    places.push_back({ldom_of(folder), number_in(folder + "/topology/physical_package_id"),
                      number_in(folder + "/topology/core_id"), cpu});
  }
  std::ranges::sort(places);
  return places;
}

Result<CpuClaim> claim_cpus(const std::string& file, std::size_t count,
                            std::vector<CpuPlace> from) {
  CpuClaim claim;
  claim.held.reset(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!claim.held.is_open()) return io_refusal(file, "open", errno);
  std::ranges::stable_partition(
      from, [&](const CpuPlace& place) { return !is_lent(claim.held.get(), place.cpu); });
  for (const CpuPlace& place : from) {
    if (claim.cpus.size() == count) break;
    if (lock_byte(claim.held.get(), place.cpu, F_WRLCK)) claim.cpus.push_back(place.cpu);
  }
  if (claim.cpus.size() == count) return claim;
  return Refusal{"the job was granted " + std::to_string(count) + " CPUs, but only " +
                     std::to_string(claim.cpus.size()) + " of the machine's " +
                     std::to_string(from.size()) + " are free",
                 ""};
}

void lend(CpuClaim& claim) {
  for (const std::int32_t cpu : claim.cpus) {
    lock_byte(claim.held.get(), lent_marks + cpu, F_RDLCK);
    lock_byte(claim.held.get(), cpu, F_UNLCK);
  }
  claim.lent = claim.cpus;
}

void take_back(CpuClaim& claim) {
  std::erase_if(claim.lent, [&](std::int32_t cpu) {
    return lock_byte(claim.held.get(), cpu, F_WRLCK) &&
           lock_byte(claim.held.get(), lent_marks + cpu, F_UNLCK);
  });
}

}  // namespace cox
