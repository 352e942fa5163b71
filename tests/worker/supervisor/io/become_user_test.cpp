// Tests that a process that runs as root becomes the job's user with all rights dropped, or fails.
// Each check runs in a child process.
#include <grp.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>

#include "worker/supervisor/io/child.h"

namespace cox {
namespace {

constexpr uid_t some_user = 64'123;
constexpr gid_t some_group = 64'124;
constexpr gid_t other_group = 64'125;

class BecomeUser : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  }
};

// Runs the check in a child process. Returns whether it returned true there.
bool in_child(const std::function<bool()>& check) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(check() ? 0 : 1);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool has_only(uid_t uid, gid_t gid) {
  uid_t users[3];
  gid_t groups[3];
  std::array<gid_t, 64> all{};
  return ::getresuid(&users[0], &users[1], &users[2]) == 0 &&
         ::getresgid(&groups[0], &groups[1], &groups[2]) == 0 && users[0] == uid &&
         users[1] == uid && users[2] == uid && groups[0] == gid && groups[1] == gid &&
         groups[2] == gid && ::getgroups(static_cast<int>(all.size()), all.data()) == 1 &&
         all[0] == gid;
}

bool take_groups(gid_t own) {
  const std::array<gid_t, 2> more{0, other_group};
  return ::setgroups(more.size(), more.data()) == 0 && ::setresgid(own, own, own) == 0;
}

// Installs a seccomp filter: from now on this system call does nothing and returns `result`, which
// is 0 or an errno.
bool replace_call(long number, int result) {
  std::array<sock_filter, 4> code{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(result)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program{code.size(), code.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_F(BecomeUser, SetsTheUserAndItsGroupAndNoOtherGroup) {
  EXPECT_TRUE(in_child([] {
    return take_groups(other_group) && become_user(some_user, some_group) &&
           has_only(some_user, some_group);
  }));
}

TEST_F(BecomeUser, SetsGroupsEvenIfTheUserMatchesAlready) {
  EXPECT_TRUE(in_child([] {
    return take_groups(other_group) && become_user(0, some_group) && has_only(0, some_group);
  }));
}

TEST_F(BecomeUser, WithoutRootSucceedsOnlyForTheSameUserAndGroup) {
  const auto drop = [] { return become_user(some_user, some_group); };
  EXPECT_TRUE(in_child([&] { return drop() && become_user(some_user, some_group); }));
  EXPECT_FALSE(in_child([&] { return drop() && become_user(some_user, other_group); }));
  EXPECT_FALSE(in_child([&] { return drop() && become_user(some_user + 1, some_group); }));
}

TEST_F(BecomeUser, FailsIfOnlyTheEffectiveUserMatches) {
  EXPECT_FALSE(in_child([] {
    return ::seteuid(some_user) == 0 && become_user(some_user, some_group);
  })) << "the process could become root again";
}

TEST_F(BecomeUser, FailsIfTheUserOrAGroupCannotBeSet) {
  for (const long call : {SYS_setgroups, SYS_setresgid, SYS_setresuid})
    EXPECT_FALSE(in_child([&] {
      return replace_call(call, EPERM) && become_user(some_user, some_group);
    })) << call;
}

TEST_F(BecomeUser, ChecksTheResultOfCallsThatReportSuccess) {
  for (const long call : {SYS_setgroups, SYS_setresgid, SYS_setresuid})
    EXPECT_FALSE(in_child([&] {
      return take_groups(other_group) && replace_call(call, 0) &&
             become_user(some_user, some_group);
    })) << call;
}

}  // namespace
}  // namespace cox
