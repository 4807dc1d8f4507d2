// Where programs on Azure find their keys.
#pragma once

#include <string>
#include <vector>

#include "store/objects/credentials.h"
#include "store/objects/settings.h"

namespace tegula::azure {

// In this order: what the settings have (a key of the account, a shared access signature, a bearer token), a service
// principal with a secret, workload identity (a token in a file), managed identity (of App Service, then of a machine).
std::vector<objects::CredentialSource> azure_sources(const objects::Settings& settings,
                                                     const objects::Environment& environment);

}  // namespace tegula::azure
