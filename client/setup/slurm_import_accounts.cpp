// Converts accounts, users and QOS to requests of cox.sacctmgr(...). Reads the output of `sacctmgr
// dump`, commands of sacctmgr, and the table of `sacctmgr -P show qos`.
#include <algorithm>
#include <array>

#include "client/setup/slurm_import_parts.h"
#include "common/base/hostlist.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/syntax/accounting_request.h"
#include "common/syntax/later_accounting.h"

namespace cox {
namespace {

// Names of the settings of QOS and associations that a request of cox.sacctmgr may have.
constexpr auto known = std::to_array<std::string_view>({"name",
                                                        "names",
                                                        "cluster",
                                                        "clusters",
                                                        "parent",
                                                        "account",
                                                        "accounts",
                                                        "user",
                                                        "users",
                                                        "defaultaccount",
                                                        "partition",
                                                        "partitions",
                                                        "fairshare",
                                                        "shares",
                                                        "share",
                                                        "grptres",
                                                        "grpjobs",
                                                        "grpsubmitjobs",
                                                        "grpsubmit",
                                                        "grptresmins",
                                                        "grpwall",
                                                        "maxtres",
                                                        "maxtresperjob",
                                                        "maxtresmins",
                                                        "maxtresminsperjob",
                                                        "maxjobs",
                                                        "maxsubmitjobs",
                                                        "maxsubmit",
                                                        "maxwall",
                                                        "maxwalldurationperjob",
                                                        "qos",
                                                        "qoslevel",
                                                        "defaultqos",
                                                        "description",
                                                        "organization",
                                                        "priority",
                                                        "preemptmode",
                                                        "gracetime",
                                                        "preemptexempttime",
                                                        "maxtresperuser",
                                                        "maxtrespu",
                                                        "maxjobsperuser",
                                                        "maxjobspu",
                                                        "maxsubmitjobsperuser",
                                                        "maxsubmitpu",
                                                        "mintresperjob",
                                                        "guarantee",
                                                        "deserved",
                                                        "rawusage"});

// sacctmgr dumps fairshare=parent as this value
constexpr std::string_view share_of_parent = "2147483647";

// Returns the preemption mode for a QOS that sets none: it depends on PreemptType and PreemptMode
// of slurm.conf.
std::string preempt_mode_of(const ImportDraft& draft) {
  if (draft.preempt_type != "preempt/qos") return "off";
  const std::string mode = draft.preempt_mode.substr(0, draft.preempt_mode.find(','));
  if (mode == "gang") return "suspend";
  return mode == "requeue" || mode == "suspend" || mode == "cancel" ? mode : "off";
}

// Returns whether Coxswain creates this QOS itself.
bool is_our_own(const std::string& qos) {
  return qos == "standard" || qos == "besteffort" || qos == "critical";
}

class AccountReading {
 public:
  AccountReading(const SourceFile& source, ImportDraft& draft)
      : name_(source.name.substr(source.name.find_last_of('/') + 1)),
        draft_(draft),
        notes_(draft.notes) {}

  Failure read(std::string_view line);
  Failure read_qos_row(const std::vector<std::string_view>& heads, std::string_view line);
  void next_line() { place_ = name_ + ":" + std::to_string(++number_); }
  const std::string& place() const { return place_; }

 private:
  Failure read_dumped(const std::string& kind, std::string_view rest);
  Failure read_command(std::string_view line);
  void take_cluster(const std::vector<std::string>& words);
  void take_coordinated(const std::string& user, std::vector<SlurmSetting>& settings);
  void take_new_qos(const AccountingRequest& request);
  void take_command(const std::vector<std::string>& words, AccountingObject whose);
  std::vector<std::string> kept(AccountingObject whose, const std::vector<SlurmSetting>& settings,
                                std::vector<std::string>& later);
  void keep_qos(const SlurmSetting& setting, std::vector<std::string>& words,
                std::vector<std::string>& later);
  void add_qos(const std::string& name, std::vector<std::string> settings);
  void ask(const std::vector<std::string>& words) {
    draft_.accounting.push_back(quoted_words(words));
  }

  std::string name_;
  std::size_t number_ = 0;
  std::string place_;
  std::string parent_ = "root";
  ImportDraft& draft_;
  ImportNotes notes_;
};

// Splits at colons outside quotation marks. "h100=8" in GrpTRES=gres/gpu:h100=8 is not a setting of
// its own.
std::vector<SlurmSetting> settings_in(std::string_view text) {
  std::vector<SlurmSetting> settings;
  std::string part;
  char quote = 0;
  const auto finish = [&] {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string value = equals < part.size() ? part.substr(equals + 1) : "";
    const std::string name = part.substr(0, equals);
    const bool goes_on = !settings.empty() && settings.back().value.find("gres/") != part.npos &&
                         std::ranges::find(known, lower_case(name)) == known.end() &&
                         !later_setting(AccountingObject::Association, lower_case(name));
    if (goes_on)
      settings.back().value += ":" + part;
    else
      settings.push_back({name, value});
    part.clear();
  };
  for (const char c : text) {
    if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? '\0' : c;
    } else if (c == ':' && quote == 0) {
      finish();
    } else {
      part += c;
    }
  }
  finish();
  return settings;
}

// Takes over a setting of QOS. qos=a,b becomes part of this request; +a and -b change the inherited
// list, so they become requests that follow.
void AccountReading::keep_qos(const SlurmSetting& setting, std::vector<std::string>& words,
                              std::vector<std::string>& later) {
  std::string plain;
  for (const std::string& one : list_of(setting.value)) {
    const bool changes = one.front() == '+' || one.front() == '-';
    name_qos(draft_, changes ? one.substr(1) : one);
    if (changes)
      later.push_back("qos" + one.substr(0, 1) + "=" + one.substr(1));
    else
      plain += (plain.empty() ? "" : ",") + one;
  }
  if (!plain.empty()) words.push_back(setting.name + "=" + plain);
}

std::vector<std::string> AccountReading::kept(AccountingObject whose,
                                              const std::vector<SlurmSetting>& settings,
                                              std::vector<std::string>& later) {
  std::vector<std::string> words;
  for (const SlurmSetting& setting : settings) {
    std::string name = lower_case(setting.name);
    while (name.ends_with('+') || name.ends_with('-')) name.pop_back();
    if (name == "adminlevel" || name == "defaultwckey" || name == "wckeys") {
      const std::string value = lower_case(setting.value);
      if (!value.empty() && value != "none")
        notes_.missing(place_, setting,
                       "the only administrator is the user that the controller runs as");
    } else if (const Failure refused = later_setting(whose, name)) {
      notes_.missing(place_, setting, refused->hint);
    } else if (name == "qos" || name == "qoslevel" || name == "defaultqos") {
      keep_qos(setting, words, later);
    } else if (name == "fairshare" && setting.value == share_of_parent) {
      words.push_back("fairshare=parent");
    } else if (std::ranges::find(known, name) == known.end()) {
      notes_.unknown(place_, setting, {known.begin(), known.end()});
    } else {
      std::string value = setting.value;  // requests use single quotes only
      std::ranges::replace(value, '"', ' ');
      words.push_back(setting.name + "=" + value);
    }
  }
  return words;
}

void AccountReading::add_qos(const std::string& name, std::vector<std::string> settings) {
  const bool is_there = is_our_own(name);
  const auto says_mode = [](const std::string& word) {
    return lower_case(word).starts_with("preemptmode=");
  };
  if (std::ranges::none_of(settings, says_mode))
    settings.push_back("preemptmode=" + preempt_mode_of(draft_));
  std::vector<std::string> words{is_there ? "modify" : "add", "qos", name};
  if (is_there) words.push_back("set");
  words.insert(words.end(), settings.begin(), settings.end());
  draft_.tiers.push_back(quoted_words(words));
  draft_.qos_made.insert(name);
}

// Moves the user's Coordinator settings to requests after all others, since the account that a user
// coordinates may be defined later in the file.
void AccountReading::take_coordinated(const std::string& user,
                                      std::vector<SlurmSetting>& settings) {
  std::erase_if(settings, [&](const SlurmSetting& one) {
    if (lower_case(one.name) != "coordinator") return false;
    const std::string request =
        quoted_words({"add", "coordinator", "account=" + one.value, "names=" + user});
    auto& all = draft_.coordinators;
    if (std::ranges::find(all, request) == all.end()) all.push_back(request);
    return true;
  });
}

// Reads a line of a dump. Settings of the whole cluster become those of the account root.
Failure AccountReading::read_dumped(const std::string& kind, std::string_view rest) {
  std::vector<SlurmSetting> settings = settings_in(rest);
  const std::string name = settings.front().name;
  settings.erase(settings.begin());
  if (name.empty()) return Refusal{place_ + ": no name after " + kind, "write " + kind + " - NAME"};
  if (kind == "parent") {
    parent_ = name;
    return std::nullopt;
  }
  const bool of_root = kind == "cluster" || (kind == "account" && name == "root");
  std::erase_if(settings, [&](const SlurmSetting& one) {
    const std::string word = lower_case(one.name);
    // A dump repeats the default account on the user's line below each account; it is kept only
    // below the default account itself. The account root has no siblings, so its shares mean
    // nothing.
    return (word == "defaultaccount" && one.value != parent_) || (of_root && word == "fairshare") ||
           (of_root && (word == "description" || word == "organization"));
  });
  if (kind == "user") take_coordinated(name, settings);
  std::vector<std::string> later;
  const auto words = kept(AccountingObject::Association, settings, later);
  std::vector<std::string> request{"add", kind, name};
  std::vector<std::string> change{"modify", kind, "where", "name=" + name, "set"};
  if (of_root) change = {"modify", "account", "root", "set"};
  if (kind == "account" && !of_root && parent_ != "root") request.push_back("parent=" + parent_);
  if (kind == "user") {
    request.push_back("account=" + parent_);
    change.insert(change.begin() + 4, "account=" + parent_);
  }
  if (of_root) request = change;
  request.insert(request.end(), words.begin(), words.end());
  if (!of_root || !words.empty()) ask(request);
  for (const std::string& word : later) {
    auto one = change;
    one.push_back(word);
    ask(one);
  }
  return std::nullopt;
}

// Reads a command like "add user Name=ada account=physics", with or without "sacctmgr -i" before
// it.
Failure AccountReading::read_command(std::string_view line) {
  auto words = split_words(line);
  if (!words) return Refusal{place_ + ": " + words.refusal().fact, words.refusal().hint};
  words->erase(std::ranges::find_if(*words, [](const auto& w) { return w.starts_with('#'); }),
               words->end());
  if (!words->empty() && words->front() == "sacctmgr") words->erase(words->begin());
  std::erase_if(*words, [](const auto& word) { return word.starts_with('-'); });
  if (words->empty()) return std::nullopt;
  const SlurmSetting whole{joined(*words, " "), ""};
  const std::string verb = lower_case(words->front());
  const std::string entity = words->size() > 1 ? lower_case((*words)[1]) : "";
  if (verb == "list" || verb == "show") {
    notes_.same(place_, whole, "it only prints");
  } else if (verb == "delete" || verb == "remove") {
    notes_.missing(place_, whole, "there is nothing to delete yet");
  } else if (entity == "cluster") {
    take_cluster(*words);
  } else if (const auto request = parse_accounting(*words); !request) {
    notes_.missing(place_, whole, request.refusal().fact + "; " + request.refusal().hint);
  } else if (request->entity == AccountingEntity::Qos && request->verb == AccountingVerb::Add) {
    take_new_qos(*request);
  } else if (request->entity == AccountingEntity::Coordinator) {
    draft_.coordinators.push_back(quoted_words(*words));
  } else {
    take_command(*words, request->entity == AccountingEntity::Qos ? AccountingObject::Qos
                                                                  : AccountingObject::Association);
  }
  return std::nullopt;
}

// Takes over settings of the whole cluster as those of the account root. Shares are dropped, since
// this account has no siblings.
void AccountReading::take_cluster(const std::vector<std::string>& words) {
  std::vector<SlurmSetting> settings;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::size_t equals = std::min(words[i].find('='), words[i].size());
    const std::string name = lower_case(words[i].substr(0, equals));
    if (equals == words[i].size() || name == "name" || name == "names" || name == "fairshare")
      continue;
    settings.push_back({words[i].substr(0, equals), words[i].substr(equals + 1)});
  }
  std::vector<std::string> out{"modify", "account", "root", "set"};
  std::vector<std::string> later;
  const auto some = kept(AccountingObject::Association, settings, later);
  out.insert(out.end(), some.begin(), some.end());
  if (!some.empty()) ask(out);
  for (const std::string& word : later) ask({"modify", "account", "root", "set", word});
}

void AccountReading::take_new_qos(const AccountingRequest& request) {
  std::vector<SlurmSetting> settings;
  std::vector<std::string> names;
  for (const AccountingSetting& one : request.where) {
    if (one.name == "name")
      names = list_of(one.value);
    else
      settings.push_back({one.name, one.value});
  }
  std::vector<std::string> later;
  const auto some = kept(AccountingObject::Qos, settings, later);
  for (const std::string& name : names) add_qos(name, some);
}

// Takes over a command of sacctmgr, without the settings that Coxswain lacks. A change of the list
// of QOS (qos=+a) becomes a separate request.
void AccountReading::take_command(const std::vector<std::string>& words, AccountingObject whose) {
  std::vector<std::string> out;
  std::vector<std::string> later;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos) {
      out.push_back(word);
      continue;
    }
    const auto some = kept(whose, {{word.substr(0, equals), word.substr(equals + 1)}}, later);
    out.insert(out.end(), some.begin(), some.end());
  }
  std::vector<std::string>& requests =
      whose == AccountingObject::Qos ? draft_.tiers : draft_.accounting;
  const auto find_word = [&](auto from, std::string_view name) {
    return std::find_if(from, out.end(),
                        [&](const std::string& word) { return lower_case(word) == name; });
  };
  const auto set = find_word(out.begin(), "set");
  const auto set_end = set == out.end() ? set : find_word(set, "where");
  if (later.empty() || set == out.end() || set + 1 != set_end)
    requests.push_back(quoted_words(out));
  for (const std::string& word : later) {
    if (set == out.end()) {
      notes_.missing(place_, {word, ""}, "add it first; then modify can change its list of QOS");
      continue;
    }
    std::vector<std::string> change(out.begin(), set + 1);
    change.push_back(word);
    change.insert(change.end(), set_end, out.end());
    requests.push_back(quoted_words(change));
  }
}

Failure AccountReading::read(std::string_view line) {
  next_line();
  line = trimmed(line);
  if (line.empty() || line.front() == '#') return std::nullopt;
  for (const std::string kind : {"cluster", "parent", "account", "user"})
    if (lower_case(line.substr(0, kind.size() + 3)) == kind + " - ")
      return read_dumped(kind, trimmed(line.substr(kind.size() + 3)));
  return read_command(line);
}

// Reads a row of the table of `sacctmgr show qos`. The headings are the names of the settings;
// cells with default values are skipped.
Failure AccountReading::read_qos_row(const std::vector<std::string_view>& heads,
                                     std::string_view line) {
  const auto cells = split(line, '|');
  std::string name;
  std::vector<SlurmSetting> settings;
  for (std::size_t i = 0; i < std::min(heads.size(), cells.size()); ++i) {
    const std::string head = lower_case(heads[i]);
    std::string value(cells[i]);
    if (head == "name") name = value;
    const bool is_default_value = value.empty() || value == "00:00:00" || value == "cluster" ||
                                  (head == "usagefactor" && value.starts_with("1.0"));
    if (head == "name" || head.empty() || is_default_value) continue;
    if (const auto seconds = parse_time_limit(value); head == "gracetime" && seconds)
      value = std::to_string(*seconds);
    settings.push_back({head == "mintres" ? "mintresperjob" : head, value});
  }
  if (name.empty()) return std::nullopt;
  std::vector<std::string> later;
  add_qos(name, kept(AccountingObject::Qos, settings, later));
  return std::nullopt;
}

}  // namespace

Failure import_accounts(const SourceFile& source, ImportDraft& draft) {
  AccountReading reading(source, draft);
  for (const std::string_view line : lines_of(source.text))
    if (Failure failure = reading.read(line)) return failure;
  return std::nullopt;
}

Failure import_qos_table(const SourceFile& source, ImportDraft& draft) {
  AccountReading reading(source, draft);
  std::vector<std::string_view> heads;
  for (const std::string_view raw : lines_of(source.text)) {
    const std::string_view line = trimmed(raw);
    reading.next_line();
    if (line.empty() || line.front() == '#') continue;
    if (heads.empty()) {
      heads = split(line, '|');
    } else if (Failure failure = reading.read_qos_row(heads, line)) {
      return failure;
    }
  }
  return std::nullopt;
}

void finish_accounts(ImportDraft& draft) {
  std::vector<std::string> first;
  for (const std::string& name : draft.qos_named) {
    if (is_our_own(name) || !draft.qos_made.insert(name).second) continue;
    first.push_back(quoted_words({"add", "qos", name, "preemptmode=" + preempt_mode_of(draft)}));
    ImportNotes(draft.notes)
        .plain("QOS " + printable(name) +
               ": created without limits, since a dump contains none; pass the output of `sacctmgr "
               "-P show qos` too");
  }
  first.insert(first.end(), draft.tiers.begin(), draft.tiers.end());
  draft.accounting.insert(draft.accounting.end(), draft.coordinators.begin(),
                          draft.coordinators.end());
  draft.accounting.insert(draft.accounting.begin(), first.begin(), first.end());
}

}  // namespace cox
