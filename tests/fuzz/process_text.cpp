// Fuzz target for /proc/PID/stat, status and environ. A process chooses its own name and
// environment. Checks that the numbers are parsed correctly whatever these contain.
#include "common/base/process_text.h"

#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(process_text) {
  const std::string name(input);
  const std::string line =
      "71 (" + name + ") S 7 71 71 0 -1 4194304 90 0 5 0 11 12 13 14 20 0 1 0 4711 6492160 300 1";
  const auto stat = parse_process_stat(line);
  CHECK(stat && stat->state == 'S' && stat->parent == 7 && stat->start_ticks == 4711);
  const auto usage = parse_process_usage(line);
  CHECK(usage && usage->name == name && usage->cpu_ticks == 50 && usage->major_faults == 5);
  CHECK(usage->vsize_bytes == 6492160);
  const std::string status = "Name:\t" + name + "\nVmHWM:  1236 kB\n";
  CHECK(name.find("\nVmHWM:") != name.npos || number_of_line(status, "VmHWM:") == 1236);
  const std::string block = "A=1" + std::string(1, '\0') + name + std::string(1, '\0') + "B=2";
  CHECK(entry_value(block, "A") == "1" && has_entry(block, "A=1"));
  CHECK(has_entry(block, name.substr(0, name.find('\0'))));
}

}  // namespace cox
