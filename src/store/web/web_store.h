// Files of a web server.
#pragma once

#include <memory>
#include <string_view>

#include "store/http/client.h"
#include "store/store.h"

namespace tegula {

// The folder at an http:// or https:// URL, for reading only and without listings. The query of the URL is sent with
// every request; it, the user and the password are in no message.
//
// Absent is what the server answers 404 or 410, and a name that it calls a folder. Every other answer but the file is
// an error, 403 too, and a page (text/html) in place of the file. A server that has no ranges sends whole files, from
// which ranges are cut; those with an ETag, or that have not changed for a minute, are kept, up to a bound, and
// asked for again only if they changed. Encoded
// answers (Content-Encoding) are refused. A file that changes between two ranges read by one store is Error(io).
std::shared_ptr<Store> open_web_store(std::string_view url, std::shared_ptr<http::Client> client);

}  // namespace tegula
