// Parses a trace of any format. Pure: text in, jobs out.
//
// Invalid text is refused with the line and the reason. A record that is void by the rules of its
// format (an SWF job that never ran) is skipped and counted.
#pragma once

#include <string_view>

#include "common/base/result.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

// Returns the format by the beginning of the text, or else by the name of the file.
Result<Format> guess_format(std::string_view file_name, std::string_view text);

Result<Trace> read_trace(Format format, std::string_view text);

}  // namespace cox::simulate
