#include "common/io/zap.h"

#include <charconv>

#include "common/base/check.h"
#include "common/base/log_line.h"
#include "common/io/log.h"
#include "common/io/zmq_socket.h"

namespace cox {
namespace {

// A valid request has seven parts (RFC 27); further ones are dropped.
constexpr std::size_t parts_kept_max = 8;
constexpr std::size_t request_part_version = 0;
constexpr std::size_t request_part_id = 1;
constexpr std::size_t request_part_address = 3;
constexpr std::size_t request_part_mechanism = 5;
constexpr std::size_t request_part_key = 6;
constexpr std::size_t request_parts = 7;
constexpr std::size_t raw_key_bytes = 32;
constexpr auto log_interval = std::chrono::seconds(1);

std::string as_z85(const std::string& raw_key) {
  char text[41];
  CHECK(zmq_z85_encode(text, reinterpret_cast<const std::uint8_t*>(raw_key.data()),
                       raw_key.size()) != nullptr);
  return text;
}

}  // namespace

std::string Handshake::user_id() const {
  return key_name + " " + key + " " + std::to_string(number);
}

// Parses the text of user_id(): name, key and number, with blanks between. Names and keys have no
// blanks.
std::optional<Handshake> Handshake::from_user_id(const std::string& text) {
  const auto first = text.find(' ');
  const auto last = text.rfind(' ');
  if (first == std::string::npos || first == last) return std::nullopt;
  Handshake handshake{text.substr(0, first), text.substr(first + 1, last - first - 1)};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + last + 1, end, handshake.number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return handshake;
}

ZapHandler::ZapHandler(zmq::context_t& context, KeyFolder& keys,
                       std::function<std::uint64_t()> next_number)
    : socket_(context, zmq::socket_type::rep), keys_(keys), next_number_(std::move(next_number)) {
  socket_.set(zmq::sockopt::linger, 0);
  socket_.bind("inproc://zeromq.zap.01");
}

void ZapHandler::answer_all() {
  zmq::message_t part;
  while (receive_part(socket_, part)) {
    std::vector<std::string> request;
    bool more = true;
    while (more) {
      if (request.size() < parts_kept_max) request.push_back(part.to_string());
      more = part.more();
      if (more) CHECK(receive_part(socket_, part));
    }
    answer(request);
  }
}

std::optional<Handshake> ZapHandler::authenticate(const std::vector<std::string>& request) {
  if (request.size() != request_parts) return std::nullopt;
  if (request[request_part_version] != "1.0") return std::nullopt;
  if (request[request_part_mechanism] != "CURVE") return std::nullopt;
  if (request[request_part_key].size() != raw_key_bytes) return std::nullopt;
  const auto key = as_z85(request[request_part_key]);
  const auto name = keys_.name_of(key);
  const auto now = std::chrono::steady_clock::now();
  if (!name && now - logged_at_ >= log_interval) {
    logged_at_ = now;
    log_warning(
        "refused address=" + request[request_part_address] + " key=" + quoted_value(key) + " why=" +
        quoted_value("no .pub file in " + keys_.dir() + " that may connect here holds this key"));
  }
  if (!name) return std::nullopt;
  return Handshake{*name, key, next_number_()};
}

void ZapHandler::answer(const std::vector<std::string>& request) {
  const auto handshake = authenticate(request);
  if (!handshake) ++refused_count_;
  // An unknown key is answered with 300, not 400: at 400 libzmq's client stops trying, but its key
  // may be installed later.
  const std::string id = request.size() > request_part_id ? request[request_part_id] : "";
  send_part(socket_, "1.0", true);
  send_part(socket_, id, true);
  send_part(socket_, handshake ? "200" : "300", true);
  send_part(socket_, handshake ? "OK" : "unknown key", true);
  send_part(socket_, handshake ? handshake->user_id() : "", true);
  send_part(socket_, "", false);
}

}  // namespace cox
