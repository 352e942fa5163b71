#include "controller/io/postgres/connection_string.h"

#include <libpq-fe.h>

#include "common/base/one_line.h"

namespace cox {

Failure check_connection_string(const std::string& conninfo) {
  char* error = nullptr;
  PQconninfoOption* const options = PQconninfoParse(conninfo.c_str(), &error);
  const std::string why = error == nullptr ? "not enough memory" : one_line(error);
  PQfreemem(error);
  if (options == nullptr)
    return Refusal{why, "write PostgreSQL's connection string, such as \"dbname=coxswain\""};
  PQconninfoFree(options);
  return std::nullopt;
}

}  // namespace cox
