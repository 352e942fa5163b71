#include "controller/job/terms_pool.h"

#include <utility>

namespace cox {
namespace {

constexpr std::size_t terms_remembered_max = 1024;
// Texts that are longer together are parsed each time.
constexpr std::size_t texts_bytes_max = 1024;

void add(std::string& texts, const std::string& text) {
  texts += std::to_string(text.size()) + ":" + text;
}

void add_size(std::string& texts, const JobSize& size) {
  for (const auto* text : {&size.partition, &size.gres, &size.gpu_type, &size.gpu_choice,
                           &size.constraint, &size.prefer})
    add(texts, *text);
}

std::string texts_of(const JobSpec& spec) {
  std::string texts;
  add_size(texts, spec);
  for (const auto* text : {&spec.licences, &spec.node_sizes, &spec.switches, &spec.topology,
                           &spec.dependency, &spec.array})
    add(texts, *text);
  for (const JobSize& component : spec.components) add_size(texts, component);
  return texts;
}

}  // namespace

ParsedSpec TermsPool::parsed(JobSpec spec) {
  std::string texts = texts_of(spec);
  if (const auto known = known_.find(texts); known != known_.end())
    return {std::move(spec), known->second};
  ParsedSpec one(std::move(spec));
  if (known_.size() >= terms_remembered_max) known_.clear();
  if (texts.size() <= texts_bytes_max) known_.emplace(std::move(texts), one.terms);
  return one;
}

void TermsPool::share(ParsedSpec& spec) {
  std::string texts = texts_of(spec);
  if (texts.size() > texts_bytes_max) return;
  if (known_.size() >= terms_remembered_max) known_.clear();
  spec.terms = known_.emplace(std::move(texts), spec.terms).first->second;
}

}  // namespace cox
