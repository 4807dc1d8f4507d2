// Opening what a store holds: for callers that bring their own store (counting, tracing, failing).
#pragma once

#include <memory>

#include "store/store.h"
#include "tegula/array.h"

namespace tegula {

Found probe(const Store& store);
std::shared_ptr<Array> open(std::shared_ptr<Store> store, const OpenOptions& options = {});
std::shared_ptr<Group> open_group(std::shared_ptr<Store> store, const OpenOptions& options = {});
std::shared_ptr<Array> create(std::shared_ptr<Store> store, const Schema& schema, const CreateOptions& options = {});
std::shared_ptr<Group> create_group(std::shared_ptr<Store> store, std::string_view format,
                                    const CreateOptions& options = {});

}  // namespace tegula
