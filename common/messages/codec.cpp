#include "common/messages/codec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <msgpack.hpp>
#include <type_traits>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/shared.h"
#include "common/messages/protocol.h"

namespace cox {
namespace {

using Packer = msgpack::packer<msgpack::sbuffer>;

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVariant : std::false_type {};
template <class... T>
struct IsVariant<std::variant<T...>> : std::true_type {};
template <class T>
struct IsId : std::false_type {};
template <class Tag, class Rep>
struct IsId<Id<Tag, Rep>> : std::true_type {};
template <class T>
struct IsTimePoint : std::false_type {};
template <class C, class D>
struct IsTimePoint<std::chrono::time_point<C, D>> : std::true_type {};

// ---- writing ---------------------------------------------------------------------------------

class Writer {
 public:
  Writer(Packer& packer, int version) : packer_(packer), version_(version) {}

  void frame(const std::vector<Message>& messages) {
    packer_.pack_array(static_cast<std::uint32_t>(messages.size()));
    for (const Message& each : messages) {
      const bool is_first = &each == &messages.front();
      std::visit([&](const auto& message) { tagged(message, is_first ? 3 : 2); }, each);
      if (is_first) packer_.pack(protocol_version);
    }
  }

  template <class... Field>
  void operator()(const Field&... fields) {
    packer_.pack_array(sizeof...(Field));
    (value(fields), ...);
  }

  template <class T>
  void value(const T& v) {
    if constexpr (std::is_same_v<T, std::string>) {
      packer_.pack_str(static_cast<std::uint32_t>(v.size()));
      packer_.pack_str_body(v.data(), static_cast<std::uint32_t>(v.size()));
    } else if constexpr (std::is_same_v<T, bool>) {
      v ? packer_.pack_true() : packer_.pack_false();
    } else if constexpr (std::is_enum_v<T>) {
      const bool is_new = version_ < protocol_version && v > last_before(v);
      packer_.pack(static_cast<std::uint64_t>(is_new ? T{} : v));
    } else if constexpr (std::is_integral_v<T> || std::is_floating_point_v<T>) {
      packer_.pack(v);
    } else if constexpr (IsId<T>::value) {
      packer_.pack(v.value);
    } else if constexpr (std::is_same_v<T, ArrayTasks>) {
      value(format_array_tasks(v));
    } else if constexpr (std::is_same_v<T, UuidText>) {
      value(v.text());
    } else if constexpr (IsTimePoint<T>::value) {
      packer_.pack(static_cast<std::int64_t>(v.time_since_epoch().count()));
    } else if constexpr (IsVector<T>::value) {
      packer_.pack_array(static_cast<std::uint32_t>(v.size()));
      for (const auto& element : v) value(element);
    } else if constexpr (IsOptional<T>::value) {
      v ? value(*v) : static_cast<void>(packer_.pack_nil());
    } else if constexpr (is_shared<T> || is_mostly_empty<T>) {
      value(*v);
    } else if constexpr (IsVariant<T>::value) {
      std::visit([this](const auto& message) { this->tagged(message, 2); }, v);
    } else {
      v.fields(*this);
    }
  }

  template <class T>
  void tagged(const T& message, std::uint32_t elements) {
    packer_.pack_array(elements);
    packer_.pack(T::tag);
    value(message);
  }

 private:
  Packer& packer_;
  int version_;  // of the peer
};

// ---- reading ---------------------------------------------------------------------------------

struct TooLarge : std::exception {};

// Returns how much memory a frame may need when decoded. A single byte of a frame may stand for a
// struct of a thousand bytes.
constexpr std::size_t allowance_of(std::size_t frame_bytes) {
  return std::min(limits::decoded_bytes_max,
                  limits::decoded_bytes_base + frame_bytes * limits::decoded_bytes_per_byte_max);
}

class Allowance {
 public:
  explicit Allowance(std::size_t frame_bytes) : left_(allowance_of(frame_bytes)) {}
  bool take(std::size_t count, std::size_t bytes_each) {
    if (count > left_ / bytes_each) return false;
    left_ -= count * bytes_each;
    return true;
  }

 private:
  std::size_t left_;
};

class Reader {
 public:
  Reader(const msgpack::object& array, Allowance& allowance)
      : array_(array), allowance_(allowance) {
    if (array.type != msgpack::type::ARRAY) throw msgpack::type_error();
  }

  // Reads the fields of a struct in order. Fields at the end that are missing keep their defaults;
  // further elements are ignored.
  template <class... Field>
  void operator()(Field&... fields) {
    (next(fields), ...);
  }

  template <class T>
  void value(const msgpack::object& from, T& v) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (from.type != msgpack::type::STR) throw msgpack::type_error();
      v.assign(from.via.str.ptr, from.via.str.size);
    } else if constexpr (std::is_same_v<T, bool>) {
      v = from.as<bool>();
    } else if constexpr (std::is_enum_v<T>) {
      const auto number = from.as<std::uint64_t>();
      if (number > static_cast<std::uint64_t>(last_of(T{}))) throw msgpack::type_error();
      v = static_cast<T>(number);
    } else if constexpr (std::is_integral_v<T>) {
      v = from.as<T>();
    } else if constexpr (std::is_floating_point_v<T>) {
      v = from.as<T>();
      if (!std::isfinite(v)) throw msgpack::type_error();
    } else if constexpr (IsId<T>::value) {
      v = T{from.as<decltype(v.value)>()};
    } else if constexpr (std::is_same_v<T, ArrayTasks>) {
      tasks(from, v);
    } else if constexpr (std::is_same_v<T, UuidText>) {
      std::string text;
      value(from, text);
      v = text;
    } else if constexpr (is_mostly_empty<T>) {
      auto own = *v;
      value(from, own);
      v = std::move(own);
    } else if constexpr (IsTimePoint<T>::value) {
      v = T{Milliseconds{from.as<std::int64_t>()}};
    } else if constexpr (IsVector<T>::value) {
      vector(from, v);
    } else if constexpr (IsOptional<T>::value) {
      if (from.type == msgpack::type::NIL) {
        v.reset();
      } else {
        value(from, v.emplace());
      }
    } else if constexpr (is_shared<T>) {
      if (!allowance_.take(1, sizeof(*v))) throw TooLarge();
      value(from, v.change());
    } else if constexpr (IsVariant<T>::value) {
      variant(from, v);
    } else {
      Reader fields(from, allowance_);
      v.fields(fields);
      if constexpr (requires { v.parse(); }) {
        if (!allowance_.take(1, sizeof(JobTerms))) throw TooLarge();
        v.parse();
      }
    }
  }

 private:
  // Reads a set of array tasks. A text that cannot be parsed leaves `v` unchanged, as in a JobSpec.
  void tasks(const msgpack::object& from, ArrayTasks& v) {
    std::string text;
    value(from, text);
    if (auto parsed = parse_array_tasks(text)) v = *std::move(parsed);
  }

  template <class T>
  void next(T& field) {
    if (index_ < array_.via.array.size) value(array_.via.array.ptr[index_], field);
    ++index_;
  }

  template <class T>
  void vector(const msgpack::object& from, std::vector<T>& v) {
    if (from.type != msgpack::type::ARRAY) throw msgpack::type_error();
    // A struct may need much more memory than its element needs in the frame, so their number has a
    // limit too.
    if (std::is_class_v<T> && from.via.array.size > limits::tasks_per_job_max)
      throw msgpack::type_error();
    if (!allowance_.take(from.via.array.size, sizeof(T))) throw TooLarge();
    v.clear();
    v.reserve(from.via.array.size);
    for (std::uint32_t i = 0; i < from.via.array.size; ++i) {
      v.emplace_back();
      value(from.via.array.ptr[i], v.back());
    }
  }

  template <class... T>
  static constexpr bool has_each_tag_once() {
    constexpr std::array tags{T::tag...};
    for (std::size_t i = 0; i < tags.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (tags[i] == tags[k]) return false;
    return true;
  }

  template <class... T>
  void variant(const msgpack::object& from, std::variant<T...>& v) {
    static_assert(has_each_tag_once<T...>(), "two messages would be taken for each other");
    if (from.type != msgpack::type::ARRAY || from.via.array.size < 2) throw msgpack::type_error();
    const auto tag = from.via.array.ptr[0].as<int>();
    const bool known = (try_tag<T>(tag, from.via.array.ptr[1], v) || ...);
    if (!known) throw msgpack::type_error();
  }

  template <class T, class Variant>
  bool try_tag(int tag, const msgpack::object& body, Variant& v) {
    if (tag != T::tag) return false;
    value(body, v.template emplace<T>());
    return true;
  }

  const msgpack::object& array_;
  Allowance& allowance_;
  std::uint32_t index_ = 0;
};

// A first pass over the bytes, before memory is allocated for them. Each announced element takes at
// least one byte, so the sum of all announced counts must not exceed the number of bytes.
class Bounds : public msgpack::null_visitor {
 public:
  Bounds(std::size_t bytes, Allowance& allowance) : left_(bytes), allowance_(allowance) {}
  bool start_array(std::uint32_t count) { return enter(count); }
  bool start_map(std::uint32_t) { return false; }  // our messages have no maps
  bool visit_ext(const char*, std::uint32_t) { return false; }
  bool visit_bin(const char*, std::uint32_t) { return false; }
  bool visit_str(const char*, std::uint32_t size) { return take(size); }
  bool end_array() {
    --depth_;
    return true;
  }
  void parse_error(std::size_t, std::size_t) {}
  void insufficient_bytes(std::size_t, std::size_t) {}

 private:
  bool take(std::size_t count) {
    if (count > left_) return false;
    left_ -= count;
    return true;
  }
  bool enter(std::uint32_t count) {
    return ++depth_ <= limits::frame_depth_max && take(count) &&
           allowance_.take(count, sizeof(msgpack::object));
  }

  std::size_t left_;
  Allowance& allowance_;
  std::size_t depth_ = 0;
};

Refusal malformed(const std::string& what) {
  return {"malformed frame: " + what,
          "check that the peer is Coxswain of this version or the previous one"};
}

Refusal not_understood(std::uint64_t version) {
  return {"protocol version " + std::to_string(version) +
              " was received, but this program speaks version " + std::to_string(protocol_version),
          "only consecutive versions are compatible: upgrade the older program"};
}

bool is_understood(std::uint64_t version) {
  return version >= protocol_version_before && version <= protocol_version + 1;
}

// Returns the protocol version of the program that sent the frame; 1 if the frame has none, because
// version 1 did not write it.
std::uint64_t version_of_writer(const msgpack::object& frame) {
  constexpr std::uint32_t place = 2;
  if (frame.type != msgpack::type::ARRAY || frame.via.array.size == 0) return 1;
  const msgpack::object& first = frame.via.array.ptr[0];
  if (first.type != msgpack::type::ARRAY || first.via.array.size <= place) return 1;
  const msgpack::object& version = first.via.array.ptr[place];
  return version.type == msgpack::type::POSITIVE_INTEGER ? version.via.u64 : 1;
}

// Parses all of `bytes` into `handle`; refuses bytes that exceed the bounds of limits.h.
Failure parse(std::string_view bytes, msgpack::object_handle& handle, Allowance& allowance) {
  if (bytes.size() > limits::frame_bytes_max)
    return malformed(std::to_string(bytes.size()) + " bytes; the limit is " +
                     std::to_string(limits::frame_bytes_max));
  try {
    std::size_t offset = 0;
    Bounds bounds(bytes.size(), allowance);
    if (!msgpack::parse(bytes.data(), bytes.size(), offset, bounds) || offset != bytes.size())
      return malformed("counts, depth or length do not fit its bytes");
    constexpr auto cap = static_cast<std::size_t>(limits::frame_bytes_max);
    handle = msgpack::unpack(bytes.data(), bytes.size(), nullptr, nullptr,
                             msgpack::unpack_limit(cap, 0, cap, 0, 0, limits::frame_depth_max + 1));
  } catch (const std::exception& e) {
    return malformed(e.what());
  }
  return std::nullopt;
}

// Returns a frame with what `write` writes. `oldest_reader` is the oldest protocol version that can
// read it; `version` is that of the peer.
template <class Write>
std::string encoded(int oldest_reader, int version, const Write& write) {
  msgpack::sbuffer buffer;
  Packer packer(buffer);
  Writer writer(packer, version);
  write(writer);
  std::string bytes(1, static_cast<char>(oldest_reader));
  return bytes.append(buffer.data(), buffer.size());
}

template <class T>
std::string encode_value(const T& v) {
  return encoded(1, protocol_version, [&](Writer& writer) { writer.value(v); });
}

// Parses the frame; refuses it if it needs a newer protocol version than ours.
Failure open_frame(std::string_view bytes, msgpack::object_handle& handle, Allowance& allowance) {
  if (bytes.empty()) return malformed("empty");
  const auto oldest_reader = static_cast<std::uint8_t>(bytes.front());
  if (oldest_reader == 0) return malformed("no version has the number 0");
  if (oldest_reader > protocol_version) return not_understood(oldest_reader);
  return parse(bytes.substr(1), handle, allowance);
}

template <class T>
Result<T> decode_object(const msgpack::object& object, Allowance& allowance) {
  try {
    T v{};
    Reader(object, allowance).value(object, v);
    return v;
  } catch (const TooLarge&) {
    return malformed("it would take far more memory than its size allows");
  } catch (const std::exception&) {
    return malformed("a field has the wrong type, or a value or tag is unknown");
  }
}

template <class T>
Result<T> decode_value(std::string_view bytes) {
  msgpack::object_handle handle;
  Allowance allowance(bytes.size());
  if (auto failure = open_frame(bytes, handle, allowance)) return *failure;
  return decode_object<T>(handle.get(), allowance);
}

}  // namespace

std::string encode(const std::vector<Message>& messages, int version) {
  int oldest_reader = 1;
  bool asks = false;
  for (const Message& message : messages) {
    oldest_reader = std::max(oldest_reader, since_version(message));
    asks = asks || std::holds_alternative<Request>(message);
  }
  return encoded(oldest_reader, asks ? protocol_version : version,
                 [&](Writer& writer) { writer.frame(messages); });
}
std::string encode(const Message& message, int version) {
  return encode(std::vector{message}, version);
}

namespace {

// Returns the refusal that replaces a reply which fits no frame. The length of a reply depends on
// how much a user requests, so such a reply must not end the program.
Refusal too_long(std::size_t bytes) {
  return {"the answer has " + std::to_string(bytes) + " bytes; the limit is " +
              std::to_string(limits::frame_bytes_max),
          "ask for less at a time"};
}

Refusal too_new(int since, int version) {
  return {"the reply needs protocol version " + std::to_string(since) +
              ", but the program that asked speaks version " + std::to_string(version),
          "upgrade the program that asked"};
}

// Returns the messages that a peer of this version can read. A reply that it cannot read becomes a
// refusal. A request stays, so that the peer refuses it. Other messages are left out.
std::vector<Message> readable_by(int version, const std::vector<Message>& messages) {
  std::vector<Message> readable;
  for (const Message& message : messages) {
    const auto* reply = std::get_if<Reply>(&message);
    const int since = since_version(message);
    if (since <= version || std::holds_alternative<Request>(message))
      readable.push_back(message);
    else if (reply != nullptr)
      readable.emplace_back(Reply{reply->number, Refused{too_new(since, version)}});
  }
  return readable;
}

// Returns whether a frame can hold so many messages and bytes. The number counts too: a message of
// a few bytes, such as StatusAck, takes as much memory as any other. The memory is limited to half
// of the allowance, since messages may be larger in the reader's version.
bool fits_one_frame(std::size_t messages, std::size_t bytes) {
  return bytes <= limits::frame_bytes_max && messages <= limits::frame_messages_max &&
         messages * sizeof(Message) <= allowance_of(bytes) / 2;
}

std::vector<std::string> split(const std::vector<Message>& messages, int version) {
  std::string whole = encode(messages, version);
  if (fits_one_frame(messages.size(), whole.size())) return {std::move(whole)};
  if (messages.size() == 1) {
    const auto* reply = std::get_if<Reply>(&messages.front());
    CHECK(reply != nullptr && "one message exceeds a frame");
    return {encode(Message{Reply{reply->number, Refused{too_long(whole.size())}}})};
  }
  const auto middle = messages.begin() + static_cast<std::ptrdiff_t>(messages.size() / 2);
  auto frames = split({messages.begin(), middle}, version);
  for (auto& frame : split({middle, messages.end()}, version)) frames.push_back(std::move(frame));
  return frames;
}

}  // namespace

std::vector<std::string> encode_frames(const std::vector<Message>& messages, int version) {
  const auto is_known = [&](const Message& m) { return since_version(m) <= version; };
  if (std::ranges::all_of(messages, is_known)) return split(messages, version);
  const std::vector<Message> readable = readable_by(version, messages);
  return readable.empty() ? std::vector<std::string>{} : split(readable, version);
}

Result<Frame> decode_frame(std::string_view frame) {
  msgpack::object_handle handle;
  Allowance allowance(frame.size());
  if (auto failure = open_frame(frame, handle, allowance)) return *failure;
  const std::uint64_t version = version_of_writer(handle.get());
  if (!is_understood(version)) return not_understood(version);
  auto messages = decode_object<std::vector<Message>>(handle.get(), allowance);
  if (!messages) return messages.refusal();
  if (messages->size() > limits::frame_messages_max)
    return malformed(std::to_string(messages->size()) + " messages; the limit is " +
                     std::to_string(limits::frame_messages_max));
  return Frame{static_cast<int>(version), std::move(*messages)};
}

Result<std::vector<Message>> decode(std::string_view frame) {
  auto decoded = decode_frame(frame);
  if (!decoded) return decoded.refusal();
  return std::move(decoded->messages);
}

std::string encode_spec(const JobSpec& spec) {
  return encode_value(spec);
}
std::string encode_launch(const LaunchSpec& launch) {
  return encode_value(launch);
}
Result<LaunchSpec> decode_launch(std::string_view bytes) {
  return decode_value<LaunchSpec>(bytes);
}
std::string encode_status(const AttemptStatus& status) {
  return encode_value(status);
}
Result<AttemptStatus> decode_status(std::string_view bytes) {
  return decode_value<AttemptStatus>(bytes);
}

}  // namespace cox
