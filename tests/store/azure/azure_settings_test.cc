#include "store/azure/azure_settings.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "store/azure/azure_credentials.h"
#include "support/expect_error.h"
#include "support/simulated_network.h"
#include "support/temp_folder.h"

namespace tegula {
namespace {

using Map = std::map<std::string, std::string>;

objects::Environment environment_of(Map variables) {
  return [variables = std::move(variables)](const std::string& name) {
    const auto at = variables.find(name);
    return at == variables.end() ? std::string() : at->second;
  };
}

TEST(AzureUris, ContainersKeysAndAccounts) {
  struct Case {
    const char* uri;
    const char* expected;
  };
  const Case cases[] = {
      {"az://c/a/b", "c|a/b||"},
      {"azure://c", "c|||"},
      {"az://c@acc/a%20b?#/", "c|a%20b?#|acc|"},
      {"abfss://c@acc.dfs.core.windows.net/x", "c|x|acc|core.windows.net"},
      {"abfs://c@acc.blob.core.chinacloudapi.cn/x", "c|x|acc|core.chinacloudapi.cn"},
  };
  for (const Case& c : cases) {
    const azure::BlobUri uri = azure::parse_blob_uri(c.uri);
    EXPECT_EQ(uri.container + "|" + uri.key + "|" + uri.account + "|" + uri.suffix, c.expected);
  }
  EXPECT_ERROR(invalid_argument, "is not the address of a storage account",
               azure::parse_blob_uri("az://c@a.example.com/x"));
  EXPECT_ERROR(invalid_argument, "by the store option sas_token", azure::parse_blob_uri("az://c@a/x?sv=1&sig=SECRET"));
  EXPECT_ERROR(invalid_argument, "names no storage account", azure::parse_blob_uri("az://c@/x"));
}

// Where requests go, and with what.
TEST(AzureSettings, OptionsUriAndEnvironment) {
  const std::string connection =
      "DefaultEndpointsProtocol=https;AccountName=ca;AccountKey=Y2s=;EndpointSuffix=core.windows.net";
  struct Case {
    const char* what;
    const char* uri;
    Map options, environment;
    const char* expected;  // account, key, sas, bearer, endpoint
  };
  const Case cases[] = {
      {"options",
       "az://c",
       {{"account", "a"}, {"account_key", "aw=="}},
       {},
       "a|aw==|||https://a.blob.core.windows.net"},
      {"environment",
       "az://c",
       {},
       {{"AZURE_STORAGE_ACCOUNT", "a"}, {"AZURE_STORAGE_KEY", "aw=="}},
       "a|aw==|||https://a.blob.core.windows.net"},
      {"a signature", "az://c@a", {{"sas_token", "?sv=1&sig=x"}}, {}, "a||sv=1&sig=x||https://a.blob.core.windows.net"},
      {"a bearer", "az://c@a", {}, {{"AZURE_STORAGE_TOKEN", "t"}}, "a|||t|https://a.blob.core.windows.net"},
      {"a connection string",
       "az://c",
       {{"connection_string", connection}},
       {},
       "ca|Y2s=|||https://ca.blob.core.windows.net"},
      {"one of the environment",
       "az://c",
       {},
       {{"AZURE_STORAGE_CONNECTION_STRING",
         "BlobEndpoint=http://h:1/ca;SharedAccessSignature=sv=1&sig=x;AccountName=ca"}},
       "ca||sv=1&sig=x||http://h:1/ca"},
      {"the emulator",
       "az://c",
       {},
       {{"AZURE_STORAGE_CONNECTION_STRING", "UseDevelopmentStorage=true"}},
       "devstoreaccount1|Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
       "|||http://127.0.0.1:10000/devstoreaccount1"},
      {"keys of another account stay where they are",
       "abfss://c@b.dfs.core.windows.net/k",
       {},
       {{"AZURE_STORAGE_ACCOUNT", "a"}, {"AZURE_STORAGE_KEY", "aw=="}, {"AZURE_STORAGE_ENDPOINT", "http://h"}},
       "b||||https://b.blob.core.windows.net"},
      {"options before the environment",
       "az://c@a",
       {{"sas_token", "sig=x"}},
       {{"AZURE_STORAGE_KEY", "aw=="}},
       "a||sig=x||https://a.blob.core.windows.net"},
      {"names of other libraries",
       "az://c",
       {{"vfs.azure.storage_account_name", "a"},
        {"azure_storage_account_key", "aw=="},
        {"vfs.azure.blob_endpoint", "http://127.0.0.1:10000/a/"}},
       {},
       "a|aw==|||http://127.0.0.1:10000/a"},
  };
  for (const Case& c : cases) {
    const objects::Settings s =
        azure::read_settings(azure::parse_blob_uri(c.uri), c.options, environment_of(c.environment));
    EXPECT_EQ(s.account + "|" + s.account_key + "|" + s.credentials.sas + "|" + s.credentials.bearer + "|" + s.endpoint,
              c.expected)
        << c.what;
    EXPECT_TRUE(s.conditional_put) << c.what;
  }
  const auto read = [](const char* uri, Map options) {
    return azure::read_settings(azure::parse_blob_uri(uri), options, environment_of({}));
  };
  EXPECT_ERROR(invalid_argument, "needs the name of a storage account", read("az://c", {}));
  EXPECT_ERROR(invalid_argument, "the URI names the account 'a', the store options name 'b'",
               read("az://c@a", {{"account", "b"}}));
  try {
    read("az://c", {{"connection_string", "HIDDEN"}});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("HIDDEN"), std::string::npos) << error.what();
  }
}

TEST(AzureCredentials, FromServices) {
  struct Case {
    const char* what;
    Map environment;
    const char* bearer;
    const char* asked;  // the last request
  };
  const testing::TempFolder folder;
  std::ofstream(folder / "token") << "FEDERATED\n";
  const std::string file = folder / "token";
  const Case cases[] = {
      {"a service principal",
       {{"AZURE_TENANT_ID", "t"}, {"AZURE_CLIENT_ID", "i"}, {"AZURE_CLIENT_SECRET", "HIDDEN"}},
       "login",
       "POST https://login.microsoftonline.com/t/oauth2/v2.0/token"},
      {"workload identity",
       {{"AZURE_TENANT_ID", "t"},
        {"AZURE_CLIENT_ID", "i"},
        {"AZURE_FEDERATED_TOKEN_FILE", file},
        {"AZURE_AUTHORITY_HOST", "https://login.example/"}},
       "federated",
       "POST https://login.example/t/oauth2/v2.0/token"},
      {"an app",
       {{"IDENTITY_ENDPOINT", "http://app/token"}, {"IDENTITY_HEADER", "HIDDEN"}},
       "app",
       "GET http://app/token?api-version=2019-08-01&resource=https%3A%2F%2Fstorage.azure.com%2F"},
      {"a machine",
       {},
       "machine",
       "GET "
       "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fstorage."
       "azure.com%2F"},
  };
  const auto network = std::make_shared<testing::SimulatedNetwork>([](const http::Request& request) {
    const std::string body = request.body.empty() ? "" : std::string(text_of(request.body[0]));
    const bool federated = body.find("client_assertion=FEDERATED&") != std::string::npos;
    const bool app = http::find(request.headers, "x-identity-header") != nullptr;
    const bool machine = http::find(request.headers, "metadata") != nullptr;
    const std::string token = federated ? "federated" : app ? "app" : machine ? "machine" : "login";
    return testing::reply(200, R"({"access_token":")" + token + R"(","expires_in":"3600"})");
  });
  const auto client = std::make_shared<http::Client>(network, http::Limits{}, network->clock);
  for (const Case& c : cases) {
    const objects::Environment environment = environment_of(c.environment);
    const objects::Settings settings = azure::read_settings(azure::parse_blob_uri("az://c@a"), {}, environment);
    objects::CredentialChain chain(azure::azure_sources(settings, environment), client);
    EXPECT_EQ(chain.get().bearer, c.bearer) << c.what;
    EXPECT_EQ(network->requests.back(), c.asked) << c.what;
  }
}

TEST(AzureCredentials, RefusalsShowNoSecret) {
  const auto network = std::make_shared<testing::SimulatedNetwork>([](const http::Request& request) {
    return request.method == "POST" ? testing::reply(401, "HIDDEN")
                                    : testing::broken(http::Failure::connect, "refused");
  });
  const auto client = std::make_shared<http::Client>(network, http::Limits{}, network->clock);
  const auto get = [&](Map variables) {
    const objects::Environment environment = environment_of(std::move(variables));
    const objects::Settings settings = azure::read_settings(azure::parse_blob_uri("az://c@a"), {}, environment);
    return objects::CredentialChain(azure::azure_sources(settings, environment), client).get();
  };
  try {
    get({{"AZURE_TENANT_ID", "t"}, {"AZURE_CLIENT_ID", "i"}, {"AZURE_CLIENT_SECRET", "HIDDEN"}});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "permission denied: Azure's login gives no token: the server answered 401");
  }
  EXPECT_EQ(get({}), objects::Credentials{}) << "nobody at the metadata service: anonymous";
}

}  // namespace
}  // namespace tegula
