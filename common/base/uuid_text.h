// A text that is a UUID ("0123abcd-…", 36 characters in lower case), stored in 16 bytes. Any other
// text is stored as it is, so that no text is ever changed or lost.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/mostly_empty.h"

namespace cox {

class UuidText {
 public:
  UuidText() = default;
  explicit UuidText(std::string_view text);
  UuidText& operator=(std::string_view text) { return *this = UuidText(text); }

  std::string text() const;
  operator std::string() const { return text(); }
  bool empty() const { return *this == UuidText(); }

  bool operator==(const UuidText&) const = default;
  friend bool operator==(const UuidText& a, std::string_view b) { return a == UuidText(b); }

 private:
  std::array<std::uint64_t, 2> digits_{};  // zeros: the text is in `other_`
  MostlyEmpty<std::string> other_;
};

}  // namespace cox
