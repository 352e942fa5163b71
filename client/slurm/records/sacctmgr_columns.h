// The columns of `sacctmgr show`, with Slurm's names. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/messages/messages.h"

namespace cox {

// A TRES with the id that it has in Slurm.
struct CountedResource {
  std::string_view type, name;  // "gres", "gpu"
  std::int64_t id = 0;
};

// One row: an association of an account or a user, a QOS, or a TRES.
struct AccountingRow {
  std::string cluster;
  const Association* association = nullptr;
  std::string default_account{};  // of the user
  std::string coordinators{};     // of the account; of a user: the coordinated accounts
  const Qos* qos = nullptr;
  std::size_t indent = 0;  // with `tree`: blanks before the account, its depth in the tree
  const CountedResource* resource = nullptr;
  AssociationId parent_id{};  // of the account above; 0 for the root
};
using AccountingRows = std::vector<AccountingRow>;

struct AccountingColumn {
  std::string_view name;  // "GrpTRES"; users may shorten it in format=
  std::string_view head;
  int width = 10;
  std::string (*text)(const AccountingRow& row) = nullptr;
};

// Parses a format such as "account,user,qos%40". A negative width aligns to the left.
Result<std::vector<AccountingColumn>> accounting_columns(std::string_view format);

enum class AccountingLayout { Columns, Parsable, Parsable2 };
std::string accounting_table(const std::vector<AccountingColumn>& columns,
                             const AccountingRows& rows, AccountingLayout layout, bool heads);

}  // namespace cox
