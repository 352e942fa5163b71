// A fuzz target: what must hold of a parser whatever bytes it is given. A broken promise is a
// CHECK, memory and undefined behaviour are the sanitizers'.
//
//   FUZZ_TARGET(hostlist) { ... input, a std::string_view ... }
//
// One target a file, of its name, in tests/fuzz; its inputs are the files of corpus/NAME. libFuzzer
// makes new ones (./dev fuzz: each target is a program of its own, built with COX_LIBFUZZER), and
// test_fuzz runs all targets with all that are kept.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "common/base/result.h"
#include "common/base/text.h"

namespace cox::fuzz {

using Target = void (*)(std::string_view input);

inline std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}

struct Registration {
  Registration(const char* name, Target target) { targets()[name] = target; }
};

// What a refusal has quoted may be shown as it is.
inline void check_refusal(const Refusal& why) {
  CHECK(!why.fact.empty());
  CHECK(is_utf8(why.fact) && !has_control_characters(why.fact));
  CHECK(is_utf8(why.hint) && !has_control_characters(why.hint));
}

}  // namespace cox::fuzz

#ifdef COX_LIBFUZZER
#define FUZZ_TARGET(name)                                                              \
  static void fuzz_##name(std::string_view input);                                     \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) { \
    fuzz_##name({reinterpret_cast<const char*>(bytes), size});                         \
    return 0;                                                                          \
  }                                                                                    \
  static void fuzz_##name(std::string_view input)
#else
#define FUZZ_TARGET(name)                                                     \
  static void fuzz_##name(std::string_view input);                            \
  static const cox::fuzz::Registration registered_##name{#name, fuzz_##name}; \
  static void fuzz_##name(std::string_view input)
#endif
