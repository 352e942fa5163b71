#include "common/io/endpoint.h"

#include "common/text.h"

namespace cox {

Result<Transport> transport_of(const std::string& endpoint) {
  const bool clean = !has_control_characters(endpoint) && endpoint.find(' ') == std::string::npos;
  if (clean && endpoint.starts_with("ipc:///")) return Transport::Local;
  if (clean && endpoint.starts_with("tcp://")) return Transport::Tcp;
  return Refusal{quoted(endpoint) + " is no endpoint",
                 "write ipc:///ABSOLUTE/PATH or tcp://ADDRESS:PORT"};
}

}  // namespace cox
