#include "common/syntax/accounting_request.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"

namespace cox {
namespace {

template <class Value>
struct Word {
  std::string_view name;
  Value value;
};

constexpr auto verbs = std::to_array<Word<AccountingVerb>>({{"add", AccountingVerb::Add},
                                                            {"create", AccountingVerb::Add},
                                                            {"modify", AccountingVerb::Modify},
                                                            {"update", AccountingVerb::Modify},
                                                            {"delete", AccountingVerb::Delete},
                                                            {"remove", AccountingVerb::Delete}});

constexpr auto entities =
    std::to_array<Word<AccountingEntity>>({{"account", AccountingEntity::Account},
                                           {"accounts", AccountingEntity::Account},
                                           {"acct", AccountingEntity::Account},
                                           {"user", AccountingEntity::User},
                                           {"users", AccountingEntity::User},
                                           {"qos", AccountingEntity::Qos},
                                           {"coordinator", AccountingEntity::Coordinator},
                                           {"coordinators", AccountingEntity::Coordinator}});

// Returns the value of the first word that begins with `asked`, because sacctmgr accepts shortened
// words. `what` names the kind of word in the refusal.
template <class Value, std::size_t N>
Result<Value> find_word(const std::array<Word<Value>, N>& words, const std::string& asked,
                        std::string_view what) {
  std::vector<std::string_view> names;
  for (const auto& word : words) {
    if (!asked.empty() && word.name.starts_with(lower_case(asked))) return word.value;
    names.push_back(word.name);
  }
  Refusal refusal{quoted(asked) + " is not " + std::string(what),
                  did_you_mean(lower_case(asked), names)};
  if (refusal.hint.empty()) refusal.hint = "possible: " + std::string(names.front());
  if (did_you_mean(lower_case(asked), names).empty())
    for (std::size_t i = 1; i < names.size(); ++i) refusal.hint += ", " + std::string(names[i]);
  return refusal;
}

// The name of a setting or condition, and the fewest letters of it that Slurm 22.05 accepts.
struct Shortened {
  std::string_view name;
  std::size_t least = 1;
};

// Where several names fit a word, the first is meant, as in Slurm. Names that are whole and begin
// another name stand here too: they are not completed.
constexpr auto names_of_all = std::to_array<Shortened>({{"name", 1},
                                                        {"clusters", 2},
                                                        {"grpjobs", 4},
                                                        {"grpsubmitjobs", 4},
                                                        {"grpsubmit", 9},
                                                        {"grpwall", 4},
                                                        {"grptresmins", 8},
                                                        {"maxwalldurationperjob", 4},
                                                        {"maxwall", 7},
                                                        {"maxtresperjob", 8},
                                                        {"priority", 3}});
constexpr auto names_of_associations = std::to_array<Shortened>({{"account", 2},
                                                                 {"fairshare", 1},
                                                                 {"shares", 1},
                                                                 {"maxjobs", 4},
                                                                 {"maxsubmitjobs", 4},
                                                                 {"maxsubmit", 9},
                                                                 {"maxtresmins", 8},
                                                                 {"maxtresminsperjob", 12},
                                                                 {"parent", 3},
                                                                 {"qos", 1},
                                                                 {"qoslevel", 4},
                                                                 {"defaultqos", 8}});
constexpr auto names_of_accounts =
    std::to_array<Shortened>({{"description", 1}, {"organization", 1}});
constexpr auto names_of_users = std::to_array<Shortened>(
    {{"user", 1}, {"adminlevel", 2}, {"defaultaccount", 8}, {"partition", 4}});
constexpr auto names_of_qos = std::to_array<Shortened>({{"gracetime", 3},
                                                        {"preemptmode", 8},
                                                        {"preemptexempttime", 8},
                                                        {"maxjobsperuser", 4},
                                                        {"maxjobs", 7},
                                                        {"maxsubmitjobsperuser", 4},
                                                        {"maxsubmitjobs", 13},
                                                        {"maxsubmit", 9},
                                                        {"maxtresperuser", 11},
                                                        {"mintresperjob", 8},
                                                        {"usagefactor", 6}});

// Returns the names of an entity's settings and conditions that may be cut short.
std::vector<Shortened> names_of(AccountingEntity entity) {
  std::vector<Shortened> names;
  const auto add = [&](const auto& more) { names.insert(names.end(), more.begin(), more.end()); };
  if (entity == AccountingEntity::Account) add(names_of_accounts);
  if (entity == AccountingEntity::User || entity == AccountingEntity::Coordinator)
    add(names_of_users);
  add(names_of_all);
  if (entity == AccountingEntity::Qos)
    add(names_of_qos);
  else
    add(names_of_associations);
  return names;
}

// Returns the name that `cut` begins, or `cut` itself if it is whole or too short.
std::string completed(std::string cut, AccountingEntity entity) {
  const std::vector<Shortened> names = names_of(entity);
  if (std::ranges::find(names, cut, &Shortened::name) != names.end()) return cut;
  for (const auto& [name, least] : names)
    if (cut.size() >= least && name.starts_with(cut)) return std::string(name);
  return cut;
}

AccountingSetting setting_in(const std::string& word, AccountingEntity entity) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return {"name", '=', without_quotes(word)};
  AccountingSetting setting{word.substr(0, equals), '=', without_quotes(word.substr(equals + 1))};
  if (!setting.name.empty() && (setting.name.back() == '+' || setting.name.back() == '-')) {
    setting.change = setting.name.back();
    setting.name.pop_back();
  }
  setting.name = completed(lower_case(setting.name), entity);
  if (setting.name == "names") setting.name = "name";
  return setting;
}

bool shows(std::string_view verb) {
  return !verb.empty() &&
         (std::string_view("show").starts_with(verb) || std::string_view("list").starts_with(verb));
}

Failure check_words(const std::vector<std::string>& words) {
  if (words.size() > limits::accounting_words_max)
    return Refusal{"it has " + std::to_string(words.size()) + " words; the limit is " +
                       std::to_string(limits::accounting_words_max),
                   "split it into several requests"};
  for (const std::string& word : words) {
    if (word.size() > limits::wish_bytes_max)
      return Refusal{"a word has " + std::to_string(word.size()) + " bytes; the limit is " +
                         std::to_string(limits::wish_bytes_max),
                     "make it shorter"};
    if (!is_utf8(word) || has_control_characters(word))
      return Refusal{quoted(word) + " has characters that cannot be printed", "leave them out"};
  }
  if (!words.empty() && shows(lower_case(words.front())))
    return Refusal{
        "this command changes accounts and shows nothing",
        "use sacctmgr show; or in SQL the views cox.associations (accounts and users), cox.qos, "
        "cox.qos_usage and cox.limit_waits (jobs that wait for a limit)"};
  return std::nullopt;
}

// Adds sacctmgr's other commands to a list of the verbs. The client carries them out, so they are
// no verbs here.
Refusal unknown_verb(Refusal refusal) {
  if (refusal.hint.ends_with(verbs.back().name))
    refusal.hint += "; sacctmgr also has show, list, dump and load";
  return refusal;
}

Refusal too_little() {
  return {"the request is incomplete",
          "write it like: add account physics, modify user ada set maxjobs=5"};
}

}  // namespace

Result<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? '\0' : c;
      if (!std::exchange(in_word, true)) words.emplace_back();
    } else if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      in_word = false;
    } else {
      if (!std::exchange(in_word, true)) words.emplace_back();
      words.back() += c;
    }
  }
  if (quote != 0) return Refusal{"a quotation mark is not closed", "close it"};
  return words;
}

namespace {

// Puts a word in quotes if it has blanks or quotes, so that split_words() reads it back. In a word
// with both kinds of quotes, each kind is enclosed in the other.
std::string quoted_word(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n\v\f\r'\"") == std::string::npos) return word;
  char quote = word.find('"') == std::string::npos ? '"' : '\'';
  std::string text(1, quote);
  for (const char c : word) {
    if (c == quote) {
      text += quote;
      quote = quote == '"' ? '\'' : '"';
      text += quote;
    }
    text += c;
  }
  return text + quote;
}

}  // namespace

std::string quoted_words(const std::vector<std::string>& words) {
  std::vector<std::string> shown;
  for (const std::string& word : words) shown.push_back(quoted_word(word));
  return joined(shown, " ");
}

std::string without_quotes(std::string value) {
  const bool is_quoted = value.size() > 1 && (value.front() == '"' || value.front() == '\'') &&
                         value.front() == value.back();
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

Result<AccountingRequest> parse_accounting(const std::vector<std::string>& words) {
  if (auto f = check_words(words)) return *f;
  if (words.empty()) return too_little();
  const auto verb = find_word(verbs, words[0], "a command that changes accounts");
  if (!verb) return unknown_verb(verb.refusal());
  if (words.size() < 3) return too_little();
  const auto entity = find_word(entities, words[1], "a kind of record here");
  if (!entity) return entity.refusal();
  AccountingRequest request{*verb, *entity, {}, {}, {}};
  bool sets = false;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string word = lower_case(words[i]);
    if (word == "where" || word == "set") {
      sets = word == "set";
      continue;
    }
    AccountingSetting setting = setting_in(words[i], *entity);
    if (setting.name == "cluster" || setting.name == "clusters") {
      if (sets && request.verb == AccountingVerb::Modify)
        return Refusal{"Can't modify the cluster of an account",
                       "write cluster= in front of set, as a condition"};
      for (const std::string_view one : split(setting.value, ','))
        request.clusters.push_back(lower_case(one));
      continue;
    }
    (sets ? request.set : request.where).push_back(std::move(setting));
  }
  if (request.verb == AccountingVerb::Modify && request.set.empty())
    return Refusal{"it does not say what to set", "modify WHAT NAME set LIMIT=VALUE"};
  if (request.verb != AccountingVerb::Modify && !request.set.empty()) {
    if (request.verb == AccountingVerb::Delete)
      return Refusal{"delete takes no set", "write: delete WHAT NAME"};
    for (AccountingSetting& setting : std::exchange(request.set, {}))
      request.where.push_back(std::move(setting));
  }
  return request;
}

}  // namespace cox
