// Every verb of the command.
#pragma once

#include <vector>

#include "app/command.h"

namespace tegula::cli {

void describe_read(Verb verb, Globals& globals);
void describe_head(Verb verb, Globals& globals);
void describe_index(Verb verb, Globals& globals);
void describe_info(Verb verb, Globals& globals);
void describe_fragments(Verb verb, Globals& globals);
void describe_ls(Verb verb, Globals& globals);
void describe_tree(Verb verb, Globals& globals);
void describe_verify(Verb verb, Globals& globals);
void describe_meta(Verb verb, Globals& globals);
void describe_stats(Verb verb, Globals& globals);
void describe_diff(Verb verb, Globals& globals);
void describe_convert(Verb verb, Globals& globals);
void describe_create(Verb verb, Globals& globals);
void describe_write(Verb verb, Globals& globals);
void describe_append(Verb verb, Globals& globals);
void describe_rechunk(Verb verb, Globals& globals);
void describe_repair(Verb verb, Globals& globals);
void describe_evolve(Verb verb, Globals& globals);
void describe_delete(Verb verb, Globals& globals);
void describe_consolidate(Verb verb, Globals& globals);
void describe_vacuum(Verb verb, Globals& globals);
void describe_upgrade(Verb verb, Globals& globals);
void describe_group(Verb verb, Globals& globals);
void describe_plot(Verb verb, Globals& globals);
void describe_serve(Verb verb, Globals& globals);
void describe_tour(Verb verb, Globals& globals);

const std::vector<VerbEntry>& verbs();

}  // namespace tegula::cli
