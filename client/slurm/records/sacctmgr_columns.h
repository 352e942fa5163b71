// The columns of sacctmgr show, by Slurm's names. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/messages/messages.h"

namespace cox {

// A resource that limits count, by Slurm's number.
struct CountedResource {
  std::string_view type, name;  // "gres", "gpu"
  std::int64_t id = 0;
};

// One row: an account, a user in it, a tier, or a resource.
struct AccountingRow {
  std::string cluster;
  const Association* association = nullptr;
  std::string default_account{};  // of the user
  std::string coordinators{};     // of the account; of a user the accounts that it coordinates
  const Qos* qos = nullptr;
  std::size_t indent = 0;  // of the account's name: how deep it stands
  const CountedResource* resource = nullptr;
};
using AccountingRows = std::vector<AccountingRow>;

struct AccountingColumn {
  std::string_view name;  // "GrpTRES"; also cut short in format=
  std::string_view head;
  int width = 10;
  std::string (*text)(const AccountingRow& row) = nullptr;
};

// "account,user,qos%40": with widths that are asked for; negative ones stand to the left.
Result<std::vector<AccountingColumn>> accounting_columns(std::string_view format);

enum class AccountingLayout { Columns, Parsable, Parsable2 };
std::string accounting_table(const std::vector<AccountingColumn>& columns,
                             const AccountingRows& rows, AccountingLayout layout, bool heads);

}  // namespace cox
