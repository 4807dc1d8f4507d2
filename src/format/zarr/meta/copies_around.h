// Keeping the consolidated metadata of the groups around a node in step with its documents.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/store.h"
#include "tegula/array.h"

namespace tegula::zarr {

// A folder around a node, and the path of the node in it.
struct FolderAround {
  std::shared_ptr<Store> store;
  std::string path;
};
// From the nearest to the farthest, at most 16; none of a node that is still unfinished and has a temporary name.
std::vector<FolderAround> folders_around(const Store& node);

// For one change of the documents of a node:
//   1. Made before the change: throws when a copy around the node cannot be read, and nothing has happened yet.
//   2. The documents are changed.
//   3. refresh() brings every copy in step with the documents as they are then. It looks for the copies again, and puts
//      each only in the state in which it was read; so of several writers none undoes what another put there, and of
//      changes and a consolidate() at the same time none is missed.
// Stopped between 2 and 3, the documents are right and the copies old: tegula reads documents, and shows copies that
// differ as notes of verify(); the next change of the node, or consolidate(), brings them in step.
// Folders that may not be read are passed over. Formats before 2 have no copies.
class CopiesAround {
 public:
  CopiesAround(std::shared_ptr<Store> node, int version, ObjectKind kind);
  // With `all_below`: also after what was below the node was removed.
  void refresh(bool all_below = false) const;
  // Notes about copies of this node that differ from its documents.
  std::vector<Problem> stale() const;

 private:
  // Those of the folders that hold copies.
  std::vector<FolderAround> copies() const;

  std::shared_ptr<Store> node_;
  int version_;
  std::vector<FolderAround> folders_;
};

// Makes the folders between the node and the nearest group of that version around it groups, where they are none; does
// nothing when there is no such group.
void make_groups_around(const Store& node, int version);

}  // namespace tegula::zarr
