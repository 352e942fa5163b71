// One table of a TOML file, read key by key into plain fields; every problem has its line. For
// config_*.cpp alone: nothing else includes toml++.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/config_file.h"
#include "common/result.h"
#include "common/time.h"

// Its parser asserts that a table's name begins as one, before it looks whether it does and says
// so; with NDEBUG it assumes it. A text may begin it otherwise: neither is to be.
#define TOML_EXCEPTIONS 0
#define TOML_ASSERT(expr) static_cast<void>(0)
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace cox {

// Else what is wrong with it, and in which line. Any bytes may be in it.
Result<toml::table> parse_toml(const std::string& text, const std::string& path_shown);

// What is wrong with a file that is parsed already.
ConfigCheck check_config(const toml::table& root, const std::string& path_shown);

class Problems {
 public:
  explicit Problems(std::string path) : path_(std::move(path)) {}
  void add(std::int64_t line, const std::string& fact, const std::string& hint = "");
  std::size_t count() const { return found_.size(); }
  std::vector<Refusal> in_file_order() const;

 private:
  struct Found {
    std::int64_t line = 0;
    Refusal why;
  };
  std::string path_;
  std::vector<Found> found_;
};

inline std::int64_t line_of(const toml::node& node) {
  return node.source().begin.line;
}

// What was asked for is what is known: finish() finds the keys that nobody asked for. A key that is
// absent leaves its field at the default.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string title, Problems& problems,
              std::vector<ConfigValue>& values)
      : table_(table),
        title_(std::move(title)),
        problems_(problems),
        problems_before_(problems.count()),
        values_(values) {}

  // parse: const std::string& → Result<Field>. Empty text leaves an empty field as it is.
  template <class Field, class Parse>
  void text(std::string_view key, Field& field, Parse parse) {
    read_text(key, field, parse);
    note(key, texts_of(field));
  }

  // parse: const std::vector<std::string>& → Result<Field>
  template <class Field, class Parse>
  void texts(std::string_view key, Field& field, Parse parse) {
    const toml::node* node = find(key);
    std::vector<std::string> values;
    if (node != nullptr && read_texts(key, *node, values)) keep(key, parse(values), field);
    note(key, std::move(values));
  }
  // Text that is one of these words, each with what it stands for.
  template <class Field>
  void word(std::string_view key, Field& field,
            const std::vector<std::pair<std::string_view, Field>>& words) {
    std::string all;
    std::string chosen;
    for (const auto& [name, value] : words) {
      all += (all.empty() ? "\"" : ", \"") + std::string(name) + "\"";
      if (value == field) chosen = name;
    }
    read_text(key, chosen, [&](const std::string& text) -> Result<std::string> {
      for (const auto& [name, value] : words) {
        if (text != name) continue;
        field = value;
        return text;
      }
      return Refusal{"is \"" + text + "\"; it must be one of " + all, ""};
    });
    note(key, {chosen});
  }

  void boolean(std::string_view key, bool& field);
  void integer(std::string_view key, std::int64_t& field, std::int64_t min, std::int64_t max);
  // Text with a unit, or an integer in seconds. "never" stands for 0 where it is allowed.
  void duration(std::string_view key, Milliseconds& field, Milliseconds min, Milliseconds max,
                bool never_allowed = false);
  void time_limit(std::string_view key, std::int64_t& field_s);  // Slurm's form, or seconds

  void require(std::string_view key, const std::string& hint);
  // About a key, at its line; at the table's when it is not there.
  void problem(std::string_view key, const std::string& fact);
  bool has(std::string_view key) const;  // and it is not ""
  // False when this table has a problem: then what follows from its values is not judged.
  bool finish();

 private:
  const toml::node* find(std::string_view key);
  bool read_texts(std::string_view key, const toml::node& node, std::vector<std::string>& values);
  void wrong_type(std::string_view key, const toml::node& node, const std::string& wanted);

  template <class Field, class Parse>
  void read_text(std::string_view key, Field& field, Parse parse) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if (!node->is_string()) return wrong_type(key, *node, "text in quotes");
    const std::string& value = node->as_string()->get();
    if (value.empty() && field.empty()) return;
    keep(key, parse(value), field);
  }
  void read_boolean(std::string_view key, bool& field);
  void read_integer(std::string_view key, std::int64_t& field, std::int64_t min, std::int64_t max);
  void read_duration(std::string_view key, Milliseconds& field, Milliseconds min, Milliseconds max,
                     bool never_allowed);
  void read_time_limit(std::string_view key, std::int64_t& field_s);

  static std::vector<std::string> texts_of(const std::string& field) {
    return field.empty() ? std::vector<std::string>{} : std::vector<std::string>{field};
  }
  static const std::vector<std::string>& texts_of(const std::vector<std::string>& field) {
    return field;
  }
  void note(std::string_view key, std::vector<std::string> value);

  template <class Field>
  void keep(std::string_view key, Result<Field> parsed, Field& field) {
    if (parsed) {
      field = std::move(parsed).value();
    } else {
      problem(key, parsed.refusal().fact);
    }
  }

  const toml::table& table_;
  std::string title_;
  Problems& problems_;
  std::size_t problems_before_;
  std::vector<ConfigValue>& values_;
  std::set<std::string_view> known_;
};

}  // namespace cox
