#include "common/base/one_line.h"

#include "common/base/text.h"

namespace cox {

std::string one_line(std::string_view text) {
  std::string line;
  for (std::string_view one : split(text, '\n')) {
    one = one.substr(0, one.find_last_not_of(" \t\r") + 1);
    if (!one.empty()) line += (line.empty() ? "" : "; ") + printable(one);
  }
  return line;
}

}  // namespace cox
