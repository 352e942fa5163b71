#include "client/setup/findings.h"

namespace cox {

std::string_view name(Health health) {
  switch (health) {
    case Health::Ok: return "ok";
    case Health::Warning: return "warning";
    case Health::Problem: return "problem";
  }
  return "";
}

}  // namespace cox
