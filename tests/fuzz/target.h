// Defines FUZZ_TARGET, for functions that check what must hold of one parser for any bytes. If it
// does not hold, a CHECK fails; the sanitizers find memory errors and undefined behaviour.
//   FUZZ_TARGET(hostlist) { ... input, a std::string_view ... }
// Each target has a file of its name in tests/fuzz; its inputs are the files of corpus/NAME.
// `./dev fuzz` builds each target as a program of its own (with COX_LIBFUZZER defined), for which
// libFuzzer makes new inputs. test_fuzz runs all targets with all kept inputs.
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

// Checks that a refusal has a fact, and that its texts can be printed although they quote the
// input.
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
