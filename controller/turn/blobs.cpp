#include "controller/turn/blobs.h"

#include <algorithm>

namespace cox {
namespace {

void fill_in(Prepare& prepare, const std::vector<Blob>& blobs) {
  for (const auto& blob : blobs) {
    if (blob.hash == prepare.launch.spec.script_hash) prepare.launch.script = blob.content;
    if (blob.hash == prepare.launch.spec.environment_hash)
      prepare.launch.environment = blob.content;
  }
}

}  // namespace

std::vector<std::string> blobs_wanted(const std::vector<Outgoing>& messages) {
  std::vector<std::string> hashes;
  for (const auto& m : messages) {
    if (!m.text_wanted.empty()) hashes.push_back(m.text_wanted);
    const auto* prepare = std::get_if<Prepare>(&m.message);
    if (prepare == nullptr) continue;
    const JobSpec& spec = prepare->launch.spec;
    for (const auto* hash : {&spec.script_hash, &spec.environment_hash})
      if (!hash->empty()) hashes.push_back(*hash);
  }
  std::ranges::sort(hashes);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

void fill_in(Outgoing& outgoing, const std::vector<Blob>& blobs) {
  if (auto* prepare = std::get_if<Prepare>(&outgoing.message)) fill_in(*prepare, blobs);
  for (const auto& blob : blobs)
    if (!outgoing.text_wanted.empty() && blob.hash == outgoing.text_wanted)
      std::get<Reply>(outgoing.message).body = Script{blob.content};
}

}  // namespace cox
