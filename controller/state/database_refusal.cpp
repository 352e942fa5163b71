#include "controller/state/database_refusal.h"

#include "common/base/moment_text.h"
#include "common/base/text.h"

namespace cox {
namespace {

// PostgreSQL quotes the whole row in some errors.
constexpr std::size_t why_bytes_max = 200;

}  // namespace

void DatabaseRefusal::note(const std::string& why, Now now) {
  if (!since_) since_ = now.wall;
  newest_ = tried_ = now.boot;
  why_ = cut_text(why, why_bytes_max);
}

bool DatabaseRefusal::is_retry_due(Boot now) {
  if (!since_) return false;
  if (now - newest_ > remembered) since_.reset();
  if (now - tried_ < retry) return false;
  tried_ = now;
  return true;
}

std::string DatabaseRefusal::text() const {
  return since_ ? "refuses writes since " + moment_text(*since_) + ": " + why_ : "";
}

}  // namespace cox
