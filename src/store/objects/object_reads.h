// Reading objects of a bucket: ranges, ends and whole ones, many at once.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "store/file_states.h"
#include "store/objects/bucket.h"
#include "store/store.h"

namespace tegula::objects {

// Keys are those of the reads behind `prefix` and a slash; an empty prefix is the bucket.

// As Store::fetch(); `arrived` is called on this thread. May be empty.
void read_ranges(Bucket& bucket, const std::string& prefix, std::span<RangeRead> reads,
                 const std::function<void(std::size_t)>& arrived);
// The number of requests that read_ranges() would send.
std::size_t request_count(const Bucket& bucket, std::span<const RangeRead> reads);

void read_files(Bucket& bucket, const std::string& prefix, std::span<FileRead> reads);

// The state is the ETag, or Google's generation.
StatedFile read_stated(Bucket& bucket, const std::string& key);

// The ETags of objects, by HEAD: of one that is absent, or about which the server says nothing, it is "".
void read_states(Bucket& bucket, const std::string& prefix, std::span<FileState> files);

// The size of an object, by reading one byte of it: the answer to HEAD does not say why.
std::optional<std::uint64_t> object_size(Bucket& bucket, const std::string& key);

}  // namespace tegula::objects
