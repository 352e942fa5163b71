// OptionRow: a row of an option table. It has the spelling of the option, its help text, and a
// setter that stores the value in the struct of the command. Most rows name a member of that
// struct; the templates below make the setter from it. All commands use these rows. Pure.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "client/options/getopt.h"
#include "common/base/count_format.h"
#include "common/base/result.h"
#include "common/base/text.h"

namespace cox {

// The setter of a row: validates the value and stores it in `asked`. Its refusal need not name the
// option; the caller adds the name where it is needed.
template <class Asked>
using SetOption = Failure (*)(Asked& asked, std::string_view value);

template <class Asked>
struct OptionRow {
  using AskedOptions = Asked;
  std::string_view name;  // without "--"; for an operand, like "JOB"; empty: only a letter
  char letter = 0;        // 0: none
  Takes takes = Takes::Nothing;
  std::string_view value_name;  // "NUMBER" of --nodes=NUMBER, for --help and the manual
  std::string_view help;  // empty: --help has no line for this row, which belongs to the row above
  // names of environment variables, separated by spaces; the first one that is set gives the value
  std::string_view variable{};
  SetOption<Asked> set = nullptr;
  unsigned rules = 0;  // of OptionForm::Rule
};

// The `set` of an option that has no effect.
template <class Asked>
Failure ignore_option(Asked&, std::string_view) {
  return std::nullopt;
}

// Returns the rows without their setters, for the reader and --help. Rows with the same setter get
// the same `meaning`, except those without a setter or with ignore_option().
template <class Asked>
std::vector<OptionForm> forms_of(std::span<const OptionRow<Asked>> rows) {
  std::vector<OptionForm> forms;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const OptionRow<Asked>& one = rows[row];
    const bool is_alone = one.set == nullptr || one.set == SetOption<Asked>{ignore_option<Asked>};
    std::size_t meaning = 0;
    while (meaning < row && (is_alone || rows[meaning].set != one.set)) ++meaning;
    forms.push_back({one.name, one.letter, one.takes, one.value_name, one.help, one.variable,
                     one.rules, meaning});
  }
  return forms;
}

// ---- setters of option rows ------------------------------------------------------------------

// Returns the member of `asked` at the end of the path `steps`, such as
// <&SubmitOptions::spec, &JobSpec::hold>.
template <class Asked, auto... steps>
decltype(auto) member_of(Asked& asked) {
  return (asked.*....*steps);
}

// A setter that writes to the member at the path `steps`. It converts to the `set` of a row of any
// struct that has the member.
template <class Write, auto... steps>
struct MemberSetter {
  template <class Asked>
  constexpr operator SetOption<Asked>() const {  // NOLINT: rows use the implicit conversion
    return [](Asked& asked, std::string_view value) -> Failure {
      return Write::write(member_of<Asked, steps...>(asked), value);
    };
  }
};

// A setter that calls a member function of the struct. The function records an invalid value in the
// struct, so the setter never refuses.
template <auto method>
struct MethodSetter {
  template <class Asked>
  constexpr operator SetOption<Asked>() const {  // NOLINT: rows use the implicit conversion
    return [](Asked& asked, std::string_view value) -> Failure {
      (asked.*method)(std::string(value));
      return std::nullopt;
    };
  }
};
template <auto method>
inline constexpr MethodSetter<method> calls{};

// A setter that calls the function `take` with the struct, or with a base of the struct, and the
// value.
template <auto take>
struct FunctionSetter {
  template <class Asked>
  constexpr operator SetOption<Asked>() const {  // NOLINT: rows use the implicit conversion
    return [](Asked& asked, std::string_view value) -> Failure { return take(asked, value); };
  }
};
template <auto take>
inline constexpr FunctionSetter<take> taken_by{};

// Writes the value of an option according to the type of the member: sets a bool to true,
// increments an integer, assigns a string, appends to a list of strings.
struct WriteValue {
  template <class Member>
  static Failure write(Member& member, std::string_view value) {
    if constexpr (std::same_as<Member, bool>)
      member = true;
    else if constexpr (std::integral<Member>)
      ++member;
    else if constexpr (std::same_as<Member, std::vector<std::string>>)
      member.emplace_back(value);
    else
      member = std::string(value);
    return std::nullopt;
  }
};

struct WriteFalse {
  static Failure write(bool& member, std::string_view) {
    member = false;
    return std::nullopt;
  }
};

// Splits the value at commas and appends the words to the member.
struct WriteList {
  static Failure write(std::vector<std::string>& member, std::string_view value) {
    for (const std::string_view word : split(value, ','))
      if (!word.empty()) member.emplace_back(word);
    return std::nullopt;
  }
};

template <std::int64_t least, std::int64_t most>
struct WriteNumber {
  template <class Member>
  static Failure write(Member& member, std::string_view value) {
    const auto number = parse_count(value, least, most);
    if (!number) return number.refusal();
    if constexpr (std::integral<Member>)
      member = static_cast<Member>(*number);
    else
      member = typename Member::value_type(*number);
    return std::nullopt;
  }
};

// Calls the function `setter`, which validates the value and writes it to the member.
template <auto setter>
struct WriteWithSetter {
  template <class Member>
  static Failure write(Member& member, std::string_view value) {
    return setter(value, member);
  }
};

// Calls the function `parse` and writes its result to the member; with `as_text`, writes the text
// instead, if it could be parsed.
template <auto parse, bool as_text>
struct WriteParsed {
  template <class Member>
  static Failure write(Member& member, std::string_view value) {
    const auto read = parse(value);
    if (!read) return read.refusal();
    if constexpr (as_text)
      member = value;
    else
      member = *read;
    return std::nullopt;
  }
};

template <auto... steps>
inline constexpr MemberSetter<WriteValue, steps...> into{};
template <auto... steps>
inline constexpr MemberSetter<WriteFalse, steps...> not_into{};
template <auto... steps>
inline constexpr MemberSetter<WriteList, steps...> list_into{};
template <std::int64_t least, std::int64_t most, auto... steps>
inline constexpr MemberSetter<WriteNumber<least, most>, steps...> number_into{};
template <auto setter, auto... steps>
inline constexpr MemberSetter<WriteWithSetter<setter>, steps...> set_by{};
template <auto parse, auto... steps>
inline constexpr MemberSetter<WriteParsed<parse, false>, steps...> parsed_into{};
template <auto parse, auto... steps>
inline constexpr MemberSetter<WriteParsed<parse, true>, steps...> checked_text_into{};

}  // namespace cox
