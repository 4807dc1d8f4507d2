// URIs in messages.
#pragma once

#include <string>
#include <string_view>

namespace tegula {

// The URI without its user, password and query, which may be secrets. Plain paths stay as they are.
std::string shown_uri(std::string_view uri);

}  // namespace tegula
