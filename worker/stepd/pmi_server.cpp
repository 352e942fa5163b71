#include "worker/stepd/pmi_server.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "common/base/text.h"
#include "worker/stepd/gather_share.h"

namespace cox {

using namespace pmi;

namespace {

// A frame of PMI-2 begins with its length: 6 decimal characters, padded with blanks.
constexpr std::size_t frame_head = 6;

std::string field(const auto& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? "" : found->second;
}

// Parses "cmd=put key=a value=b c" (the value is the rest of the line), or "cmd=kvs-put;key=a;".
auto fields_of(std::string_view text, bool lines) {
  std::map<std::string, std::string, std::less<>> fields;
  while (!text.empty()) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos) break;
    const std::string_view name = text.substr(0, equals);
    const bool to_the_end = lines && name == "value";
    const std::size_t end =
        to_the_end ? text.size() : std::min(text.find(lines ? ' ' : ';', equals), text.size());
    fields[std::string(name)] = text.substr(equals + 1, end - equals - 1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fields;
}

}  // namespace

std::string process_mapping(const Shape& shape) {
  if (!shape.block) return "";  // no mapping is given: the ranks exchange their host names
  std::string text = "(vector";
  for (std::size_t at = 0; at < shape.tasks_per_node.size();) {
    std::size_t same = at;
    while (same < shape.tasks_per_node.size() &&
           shape.tasks_per_node[same] == shape.tasks_per_node[at])
      ++same;
    text += ",(" + std::to_string(at) + "," + std::to_string(same - at) + "," +
            std::to_string(shape.tasks_per_node[at]) + ")";
    at = same;
  }
  return text + ")";
}

PmiServer::PmiServer(Shape shape) : shape_(std::move(shape)), tasks_(shape_.ranks.size()) {}

void PmiServer::answer(std::size_t local, const std::string& text) {
  if (tasks_[local].protocol != Protocol::Frames) {
    actions_.push_back(Write{local, text + "\n"});
    return;
  }
  char head[frame_head + 1];
  std::snprintf(head, sizeof head, "%6zu", text.size());
  actions_.push_back(Write{local, head + text});
}

void PmiServer::abort(std::size_t local, std::string message) {
  tasks_[local].protocol = Protocol::None;
  actions_.push_back(Abort{local, std::move(message)});
}

std::vector<Action> PmiServer::on_bytes(std::size_t local, std::string_view bytes) {
  actions_.clear();
  Task& task = tasks_.at(local);
  if (task.protocol == Protocol::None) return {};
  task.unread += bytes;
  while (task.protocol != Protocol::None) {
    std::string_view text = task.unread;
    std::size_t taken = 0;
    if (task.protocol == Protocol::Frames) {
      if (text.size() < frame_head) break;
      std::size_t length = 0;
      std::string_view head = text.substr(0, frame_head);
      head.remove_prefix(std::min(head.find_first_not_of(' '), head.size()));
      const auto [end, error] = std::from_chars(head.data(), head.data() + head.size(), length);
      if (error != std::errc{} || end != head.data() + head.size() || length > line_bytes_max) {
        abort(local, "invalid PMI message");
        break;
      }
      if (text.size() < frame_head + length) break;
      text = text.substr(frame_head, length);
      taken = frame_head + length;
    } else {
      const std::size_t newline = text.find('\n');
      if (newline == text.npos) {
        if (text.size() > line_bytes_max) abort(local, "invalid PMI message");
        break;
      }
      text = text.substr(0, newline);
      taken = newline + 1;
    }
    const Fields fields = fields_of(text, task.protocol != Protocol::Frames);
    task.unread.erase(0, taken);
    handle(local, fields);
  }
  return std::exchange(actions_, {});
}

void PmiServer::handle(std::size_t local, const Fields& fields) {
  const std::string command = field(fields, "cmd");
  if (command == "init") return init(local, fields);
  if (command == "abort") {
    const std::string message = field(fields, "msg");
    return abort(local, message.empty() ? "it gave no reason" : message);
  }
  if (tasks_[local].protocol == Protocol::Frames)
    handle_frames(local, command, fields);
  else
    handle_lines(local, command, fields);
}

void PmiServer::init(std::size_t local, const Fields& fields) {
  const std::string version = field(fields, "pmi_version");
  const std::string minor = field(fields, "pmi_subversion");
  if (version != "1" && version != "2")
    return abort(local, "PMI version " + printable(version) + " is not supported");
  answer(local, "cmd=response_to_init pmi_version=" + version +
                    " pmi_subversion=" + (version == "2" ? "0" : minor) + " rc=0");
  tasks_[local].protocol = version == "2" ? Protocol::Frames : Protocol::Lines;
}

bool PmiServer::put(const Fields& fields) {
  std::string key = field(fields, "key");
  std::string value = field(fields, "value");
  keys_bytes_ += key.size() + value.size();
  if (key.empty() || keys_bytes_ > keys_bytes_max) return false;
  fresh_[std::move(key)] = std::move(value);
  return true;
}

std::string PmiServer::attribute(std::string_view key) const {
  if (key == "PMI_process_mapping") return process_mapping(shape_);
  if (key == "universeSize") return std::to_string(shape_.tasks);
  return "";
}

void PmiServer::handle_lines(std::size_t local, std::string_view command, const Fields& fields) {
  if (command == "get_maxes")
    return answer(local, "cmd=maxes kvsname_max=256 keylen_max=256 vallen_max=16384");
  if (command == "get_appnum") return answer(local, "cmd=appnum appnum=0");
  if (command == "get_my_kvsname") return answer(local, "cmd=my_kvsname kvsname=" + shape_.name);
  if (command == "get_universe_size")
    return answer(local, "cmd=universe_size size=" + std::to_string(shape_.tasks));
  if (command == "barrier_in") return fence(local);
  if (command == "finalize") return answer(local, "cmd=finalize_ack");
  if (command == "put")
    return answer(local, put(fields) ? "cmd=put_result rc=0 msg=success"
                                     : "cmd=put_result rc=-1 msg=no_room_for_the_key");
  if (command == "get") {
    const std::string key = field(fields, "key");
    const auto found = keys_.find(key);
    const std::string value = found == keys_.end() ? attribute(key) : found->second;
    if (found == keys_.end() && value.empty())
      return answer(local, "cmd=get_result rc=-1 msg=key_" + key + "_not_found value=unknown");
    return answer(local, "cmd=get_result rc=0 msg=success value=" + value);
  }
  answer(local, "cmd=" + std::string(command) + "_result rc=-1 msg=not_known_here");
}

void PmiServer::handle_frames(std::size_t local, std::string_view command, const Fields& fields) {
  const std::string head = "cmd=" + std::string(command) + "-response;";
  const auto found = [&](const std::string& value, bool is_there) {
    answer(local, head + "rc=0;found=" + (is_there ? "TRUE;value=" + value + ";" : "FALSE;"));
  };
  if (command == "fullinit")
    return answer(
        local,
        head + "rc=0;pmi-version=2;pmi-subversion=0;rank=" + std::to_string(shape_.ranks[local]) +
            ";size=" + std::to_string(shape_.tasks) + ";appnum=0;debugged=FALSE;pmiverbose=FALSE;");
  if (command == "job-getid") return answer(local, head + "rc=0;jobid=" + shape_.name + ";");
  if (command == "info-getjobattr") {
    const std::string value = attribute(field(fields, "key"));
    return found(value, !value.empty());
  }
  if (command == "kvs-put") return answer(local, head + (put(fields) ? "rc=0;" : "rc=-1;"));
  if (command == "kvs-get") {
    const auto at = keys_.find(field(fields, "key"));
    return found(at == keys_.end() ? "" : at->second, at != keys_.end());
  }
  if (command == "kvs-fence") return fence(local);
  if (command == "finalize") return answer(local, head + "rc=0;");
  answer(local, head + "rc=-1;errmsg=not known here;");
}

void PmiServer::fence(std::size_t local) {
  tasks_[local].in_fence = true;
  if (!std::ranges::all_of(tasks_, &Task::in_fence)) return;
  std::string data;
  for (const auto& [key, value] : fresh_) data += key + '\0' + value + '\0';
  fresh_.clear();
  if (data.size() > gather_bytes_max(shape_.nodes))
    return abort(local, gather_refusal(data.size(), shape_.nodes));
  actions_.push_back(Gather{turn_, std::move(data)});
}

std::vector<Action> PmiServer::on_gathered(std::int64_t turn,
                                           const std::vector<std::string>& data) {
  actions_.clear();
  if (turn != turn_) return {};
  ++turn_;
  for (const std::string& each : data) {
    const std::vector<std::string_view> words = split(each, '\0');
    for (std::size_t i = 0; i + 1 < words.size(); i += 2)
      keys_[std::string(words[i])] = words[i + 1];
  }
  for (std::size_t local = 0; local < tasks_.size(); ++local) {
    if (!std::exchange(tasks_[local].in_fence, false)) continue;
    answer(local, tasks_[local].protocol == Protocol::Frames ? "cmd=kvs-fence-response;rc=0;"
                                                             : "cmd=barrier_out");
  }
  return std::exchange(actions_, {});
}

}  // namespace cox
