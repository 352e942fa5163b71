// CHECK stops the program, in every build, when an invariant is broken. It is for bugs only. A
// wrong request of a user is a Refusal (result.h); what happens in the world is an event.
#pragma once

namespace cox {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace cox

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::cox::check_failed(#condition, __FILE__, __LINE__))
