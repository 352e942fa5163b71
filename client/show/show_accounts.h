// Shows the tree of accounts with their shares, limits and use. Pure.
#pragma once

#include <string>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

std::string show_accounts(const AssociationList& list, const Screen& screen);

}  // namespace cox
