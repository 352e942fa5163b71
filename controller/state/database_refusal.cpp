#include "controller/state/database_refusal.h"

#include <algorithm>

#include "common/base/moment_text.h"
#include "common/base/text.h"

namespace cox {
namespace {

// PostgreSQL quotes the whole row in some errors.
constexpr std::size_t why_bytes_max = 200;

}  // namespace

DatabaseRefusal::Kinds DatabaseRefusal::kinds_of(const std::vector<Change>& changes) {
  Kinds kinds;
  for (const Change& change : changes) kinds.insert(change.index());
  return kinds;
}

void DatabaseRefusal::note(const std::string& why, Kinds kinds, Now now) {
  if (!since_) since_ = now.wall;
  newest_ = tried_ = now.boot;
  why_ = cut_text(why, why_bytes_max);
  refused_ = std::move(kinds);
}

void DatabaseRefusal::note_request(const std::string& why, Kinds kinds, Now now) {
  request_ = RefusedRequest{now, cut_text(why, why_bytes_max), std::move(kinds)};
}

void DatabaseRefusal::note_commit(const Kinds& kinds) {
  if (request_ && std::ranges::includes(kinds, request_->kinds)) request_.reset();
  if (!since_) return;
  for (const std::size_t kind : kinds) refused_.erase(kind);
  if (refused_.empty() && tried_ != newest_) since_.reset();
}

bool DatabaseRefusal::is_retry_due(Boot now) {
  if (request_ && now - request_->at.boot > remembered) request_.reset();
  if (!since_) return false;
  const bool was_written = refused_.empty() && now - newest_ > retry + settling;
  if (was_written || now - newest_ > remembered) since_.reset();
  if (now - tried_ < retry) return false;
  tried_ = now;
  return true;
}

std::string DatabaseRefusal::writes_text() const {
  return since_ ? "refuses writes since " + moment_text(*since_) + ": " + why_ : "";
}

std::string DatabaseRefusal::text() const {
  if (since_ || !request_) return writes_text();
  return "has refused a request at " + moment_text(request_->at.wall) + ": " + request_->why;
}

}  // namespace cox
