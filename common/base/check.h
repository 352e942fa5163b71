// CHECK: a broken invariant stops the program, in every build. It is for bugs only: what a user
// asks for wrongly is a Refusal (result.h), and what the world does is an event.
#pragma once

namespace cox {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace cox

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::cox::check_failed(#condition, __FILE__, __LINE__))
