// Named places where a test may kill this process: COX_CRASH_AT=NAME (or NAME:3 for the third time
// it is passed) makes the process end there as by kill -9. Without the variable it costs a compare.
// Every name is listed in HACKING.md; system tests go through all of them.
#pragma once

namespace cox {

void crash_point(const char* name);

}  // namespace cox
