#include "store/s3/s3_settings.h"

#include "store/s3/profile_file.h"

namespace tegula::s3 {

using namespace objects;

namespace {

void add_defaults(Settings& settings, const Environment& environment) {
  if (settings.service == Service::aws) {
    Profile profile;
    if (settings.region.empty() || settings.endpoint.empty()) profile = read_profile(environment, settings.profile);
    set_if_empty(settings.endpoint, environment("AWS_ENDPOINT_URL_S3"));
    set_if_empty(settings.endpoint, environment("AWS_ENDPOINT_URL"));
    set_if_empty(settings.endpoint, profile["endpoint_url"]);
    set_if_empty(settings.region, environment("AWS_REGION"));
    set_if_empty(settings.region, environment("AWS_DEFAULT_REGION"));
    set_if_empty(settings.region, profile["region"]);
    set_if_empty(settings.transport.ca_file, environment("AWS_CA_BUNDLE"));
  } else {
    set_if_empty(settings.region, "auto");
    set_if_empty(settings.service_account, environment("GOOGLE_APPLICATION_CREDENTIALS"));
    set_if_empty(settings.credentials.bearer, environment("CLOUDSDK_AUTH_ACCESS_TOKEN"));
    if (settings.credentials.key_id.empty()) {
      settings.credentials.key_id = environment("GS_ACCESS_KEY_ID");
      settings.credentials.secret = environment("GS_SECRET_ACCESS_KEY");
    }
  }
}

}  // namespace

Settings read_settings(Service service, const std::map<std::string, std::string>& given,
                       const Environment& environment) {
  return objects::parse_settings(service, given, environment,
                                 [&](Settings& settings) { add_defaults(settings, environment); });
}

}  // namespace tegula::s3
