// The columns of sacctmgr show, by Slurm's names. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/messages.h"
#include "common/result.h"

namespace cox {

// One row: an account, a user in it, or a tier.
struct AccountingRow {
  std::string cluster;
  const Association* association = nullptr;
  std::string default_account;  // of the user
  const Qos* qos = nullptr;
  std::size_t indent = 0;  // of the account's name: how deep it stands
};

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
                             const std::vector<AccountingRow>& rows, AccountingLayout layout,
                             bool heads);

}  // namespace cox
