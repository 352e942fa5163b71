// Record: the text that scontrol prints for one job, node or partition, tokens "Key=Value" on a few
// lines, or all on one line (-o). Also formats values of such tokens as Slurm does. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/text/screen.h"
#include "common/base/time.h"

namespace cox {

class Record {
 public:
  Record& add(std::string_view key, const std::string& value);
  Record& next_line();
  Record& next_line_further_in();
  // Returns the record on several lines with an empty line after it, or on one line.
  std::string text(bool one_line) const;

 private:
  struct Line {
    std::string text;
    bool further_in = false;
  };
  std::vector<Line> lines_{{}};
};

std::string or_null(const std::string& value);  // the value; "(null)" if it is empty
std::string joined_or_null(const std::vector<std::string>& words);
std::string nodes_or_null(const std::vector<std::string>& names);
std::string record_clock(std::int64_t seconds);  // "1-00:00:00", "00:00:00"
std::string record_limit(std::int64_t seconds);  // 0: UNLIMITED
std::string record_moment(Wall t, const Screen& screen, const char* otherwise);
std::string record_memory(std::int64_t megabytes);   // "100000M", "4G"
std::string count_or_unlimited(std::int64_t count);  // 0: UNLIMITED
std::string yes_or_no(bool is);                      // "YES"

}  // namespace cox
