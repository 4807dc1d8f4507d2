// Replacing several chunks of a carray at once.
//
// bcolz rewrites chunks in place, one after the other, so an interruption leaves some old and some new. Here the new
// files are first written to the folder __tegula_set__, which bcolz does not look at; then its file "commit", which
// lists them, commits the change; then they are copied over the old ones and the folder is removed. A reader that finds
// "commit" reads the listed chunks from the folder; the next writer finishes the copying.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "format/bcolz/carray.h"
#include "tegula/bytes.h"
#include "tegula/work.h"

namespace tegula::bcolz {

inline constexpr std::string_view kPendingFolder = "__tegula_set__";

std::string pending_key(std::string_view prefix, std::uint64_t chunk);

// The chunks that a committed change has in its folder, sorted. Empty when there is no such change, or when others
// changed one of the chunk files since then, which makes the set obsolete.
std::vector<std::uint64_t> find_pending(const Store& store, const std::string& prefix);

// Replaces each chunk of the list by make(index in the list), called from several threads. One chunk is replaced
// directly.
void replace_chunks(const Carray& carray, const std::vector<std::uint64_t>& chunks,
                    const std::function<Bytes(std::size_t)>& make, const Work& work);

// Copies pending chunks over the old ones, and removes the folder with whatever an interrupted change left in it.
void finish_pending(const Carray& carray, const Work& work);

}  // namespace tegula::bcolz
