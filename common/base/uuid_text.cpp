#include "common/base/uuid_text.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace cox {
namespace {

constexpr std::size_t digits_of_half = 16;
constexpr std::size_t uuid_digits = 2 * digits_of_half;
constexpr std::array<std::size_t, 4> dashes{8, 13, 18, 23};  // ascending

std::uint64_t number_of(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number, 16);
  return error == std::errc{} && end == digits.end() ? number : 0;
}

std::string uuid_of(const std::array<std::uint64_t, 2>& numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) {
    std::array<char, digits_of_half> digits{};
    const auto end = std::to_chars(digits.begin(), digits.end(), number, 16).ptr;
    const auto count = static_cast<std::size_t>(end - digits.begin());
    text.append(digits_of_half - count, '0').append(digits.data(), count);
  }
  for (const std::size_t dash : dashes) text.insert(dash, "-");
  return text;
}

}  // namespace

UuidText::UuidText(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '-');
  if (digits.size() == uuid_digits)
    digits_ = {number_of(std::string_view(digits).substr(0, digits_of_half)),
               number_of(std::string_view(digits).substr(digits_of_half))};
  // Other spellings, such as one in upper case, are not this text.
  if (digits_ != decltype(digits_){} && uuid_of(digits_) == text) return;
  digits_ = {};
  other_ = std::string(text);
}

std::string UuidText::text() const {
  return digits_ == decltype(digits_){} ? *other_ : uuid_of(digits_);
}

}  // namespace cox
