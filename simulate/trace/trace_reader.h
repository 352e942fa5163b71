// Reads a trace in whatever format it has. Pure: text in, jobs out.
//
// Hostile text is refused with the line and the fact. A record that the format itself calls void
// (an SWF job that never ran) is skipped and counted.
#pragma once

#include <string_view>

#include "common/base/result.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

// By what the text begins with, else by the file's name.
Result<Format> guess_format(std::string_view file_name, std::string_view text);

Result<Trace> read_trace(Format format, std::string_view text);

}  // namespace cox::simulate
