// Every verb of the command.
#pragma once

#include <vector>

#include "command.h"

namespace tegula::cli {

void describe_read(Verb verb, Globals& globals);
void describe_head(Verb verb, Globals& globals);

const std::vector<VerbEntry>& verbs();

}  // namespace tegula::cli
