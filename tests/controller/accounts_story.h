// A bench (a controller on the store in memory, see bench.h) with accounts and users, for the tests
// of accounts, limits and quotas.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "common/syntax/accounting_request.h"
#include "tests/controller/bench.h"

namespace cox {

class AccountsStory : public testing::Test, public Bench {
 protected:
  // No node becomes silent within 10,000 hours, and no lease ends, so a test may let hours pass
  // without heartbeats.
  AccountsStory() {
    config.node_timeout = std::chrono::hours{10'000};
    config.lease = Milliseconds{0};
    restart();
  }
  // Returns what sacctmgr prints for this command: its lines, or the refusal.
  std::string sacctmgr(const std::string& command) {
    const Reply reply = ask(Administer{*split_words(command), false});
    if (const auto* done = std::get_if<Administered>(&reply.body)) {
      pass(Milliseconds{0});
      return joined(done->lines, "\n");
    }
    return refusal_of(reply);
  }
  void tree() {
    sacctmgr("add account physics fairshare=10");
    sacctmgr("add account lattice parent=physics");
    sacctmgr("add account biology fairshare=10");
    sacctmgr("add user ada account=lattice");
    sacctmgr("add user eve account=biology");
  }
  JobId submit_as(const std::string& who, const std::function<void(JobSpec&)>& edit = {},
                  std::int64_t time_limit_s = 0) {
    user = who;
    return submit({.time_limit_s = time_limit_s, .with = edit});
  }
  std::string refusal_as(const std::string& who, const std::function<void(JobSpec&)>& edit = {}) {
    user = who;
    SubmitJob s;
    s.spec.command = {"train"};
    s.spec.work_dir = "/home/u";
    if (edit) edit(s.spec);
    return refusal_of(ask(s));
  }
  std::string reason(JobId id) {
    return std::string(name(std::get<JobDetail>(ask(ShowJob{id}).body).view.reason));
  }
  std::vector<std::string> why(JobId id) { return std::get<JobDetail>(ask(ShowJob{id}).body).why; }
  AssociationView view(const std::string& account, const std::string& who) {
    const auto list = std::get<AssociationList>(ask(ListAssociations{}).body);
    for (const AssociationView& one : list.associations)
      if (one.association.account == account && one.association.user_name == who) return one;
    ADD_FAILURE() << "no association " << account << " " << who;
    return {};
  }
  void run(JobId id, Milliseconds time) {
    ready(id);
    pass(time);
    finish(id, 0);
  }
};

}  // namespace cox
