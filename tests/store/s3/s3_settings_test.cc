// Settings and credentials: where they are found, and what is refused.
#include "store/s3/s3_settings.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "store/s3/aws_credentials.h"
#include "store/s3/google_credentials.h"
#include "store/s3/profile_file.h"
#include "support/expect_error.h"
#include "support/simulated_network.h"
#include "support/temp_folder.h"

namespace tegula {
namespace {

using objects::Service;
using testing::reply;
using testing::SimulatedNetwork;
using Map = std::map<std::string, std::string>;

objects::Environment environment_of(Map variables) {
  return [variables](const std::string& name) {
    const auto at = variables.find(name);
    return at == variables.end() ? std::string() : at->second;
  };
}

objects::Settings aws(const Map& given, const Map& variables = {}) {
  return s3::read_settings(Service::aws, given, environment_of(variables));
}

TEST(S3Settings, NamesOfOtherLibraries) {
  for (const char* name :
       {"access_key_id", "key", "aws_access_key_id", "vfs.s3.aws_access_key_id", "AWS_ACCESS_KEY_ID"})
    EXPECT_EQ(aws({{name, "K"}, {"secret", "S"}}).credentials.key_id, "K") << name;
  for (const char* name : {"secret_access_key", "secret", "aws_secret_access_key", "vfs.s3.aws_secret_access_key"})
    EXPECT_EQ(aws({{"key", "K"}, {name, "S"}}).credentials.secret, "S") << name;
  for (const char* name : {"anonymous", "anon", "vfs.s3.no_sign_request", "skip_signature", "aws_skip_signature"})
    EXPECT_TRUE(aws({{name, "true"}}).anonymous) << name;
  for (const char* name : {"endpoint", "endpoint_url", "vfs.s3.endpoint_override", "aws_endpoint"})
    EXPECT_EQ(aws({{name, "http://h:1"}}).endpoint, "http://h:1") << name;
  for (const char* name : {"region", "vfs.s3.region", "region_name", "aws_region"})
    EXPECT_EQ(aws({{name, "r"}}).region, "r") << name;
  EXPECT_EQ(aws({{"vfs.s3.max_parallel_ops", "7"}}).limits.at_once, 7u);
  EXPECT_EQ(aws({{"multipart_part_size", "16MB"}}).part_size, 16ull << 20);
  EXPECT_EQ(aws({{"retries", "3"}}).limits.tries, 3u);
  EXPECT_TRUE(aws({{"request_payer", "requester"}}).requester_pays);
  EXPECT_FALSE(aws({{"vfs.s3.verify_ssl", "false"}}).transport.verify_tls);
}

TEST(S3Settings, Addresses) {
  EXPECT_TRUE(aws({}).virtual_addressing);
  EXPECT_FALSE(aws({{"endpoint", "http://localhost:9000"}}).virtual_addressing);
  EXPECT_TRUE(aws({{"endpoint", "https://s3.example.org"}, {"addressing_style", "virtual"}}).virtual_addressing);
  EXPECT_EQ(aws({{"endpoint_override", "localhost:9000"}, {"scheme", "http"}}).endpoint, "http://localhost:9000");
  EXPECT_EQ(aws({{"endpoint", "s3.example.org/"}}).endpoint, "https://s3.example.org");
  EXPECT_EQ(aws({}, {{"AWS_ENDPOINT_URL", "http://a"}, {"AWS_ENDPOINT_URL_S3", "http://b"}}).endpoint, "http://b");
  EXPECT_EQ(aws({}, {{"AWS_DEFAULT_REGION", "one"}}).region, "one");
  EXPECT_EQ(aws({}, {{"AWS_DEFAULT_REGION", "one"}, {"AWS_REGION", "two"}}).region, "two");
  EXPECT_EQ(aws({{"region", "three"}}, {{"AWS_REGION", "two"}}).region, "three");
}

// A server of one's own may ignore conditions, and then a put that should have been refused replaces the file.
TEST(S3Settings, OnlyTheServicesAreKnownToLookAtConditions) {
  EXPECT_TRUE(aws({}).conditional_put);
  EXPECT_TRUE(aws({{"endpoint", "https://s3.dualstack.eu-west-1.amazonaws.com"}}).conditional_put);
  EXPECT_FALSE(aws({{"endpoint", "http://127.0.0.1:9000"}}).conditional_put);
  EXPECT_FALSE(aws({{"endpoint", "https://example.org/x.amazonaws.com"}}).conditional_put);
  EXPECT_FALSE(aws({}, {{"AWS_ENDPOINT_URL", "http://a"}}).conditional_put);
  EXPECT_TRUE(aws({{"endpoint", "http://127.0.0.1:9000"}, {"conditional_put", "true"}}).conditional_put);
  EXPECT_FALSE(aws({{"conditional_put", "false"}}).conditional_put);
}

TEST(S3Settings, WhatIsWrongIsNamedWithoutItsValue) {
  EXPECT_ERROR(invalid_argument, "there is no store option 'acces_key'; known are access_key_id,",
               aws({{"acces_key", "SECRET"}}));
  EXPECT_ERROR(invalid_argument, "given together", aws({{"access_key_id", "K"}}));
  EXPECT_ERROR(invalid_argument, "anon is true or false", aws({{"anon", "perhaps"}}));
  EXPECT_ERROR(invalid_argument, "requests is a number from 1", aws({{"requests", "0"}}));
  EXPECT_ERROR(invalid_argument, "part_size is a size from 5.0 MiB", aws({{"part_size", "1MB"}}));
  EXPECT_ERROR(invalid_argument, "http:// or https://", aws({{"endpoint", "ftp://x"}}));
  try {
    aws({{"secret_key", "HIDDEN"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("HIDDEN"), std::string::npos);
  }
}

TEST(AwsProfiles, AreReadFromBothFiles) {
  const testing::TempFolder folder;
  std::ofstream(folder / "credentials") << "# c\n[default]\naws_access_key_id = D\naws_secret_access_key=E # note\n"
                                           "[work]\naws_access_key_id=W\r\naws_secret_access_key=X\r\n"
                                           "[both]\naws_access_key_id=B\naws_secret_access_key=X\n";
  std::ofstream(folder / "config")
      << "[default]\nregion = eu-west-1\ns3 =\n  max_concurrent_requests = 20\n"
         "[profile work]\nregion=ap-south-1\nendpoint_url=http://w\n"
         "[profile both]\nrole_arn = arn\nsource_profile = both\n"
         "[profile sso]\nsso_start_url = https://x\n[profile role]\nrole_arn = arn\nsource_profile = default\n";
  const Map files = {{"AWS_SHARED_CREDENTIALS_FILE", folder / "credentials"},
                     {"AWS_CONFIG_FILE", folder / "config"},
                     {"AWS_EC2_METADATA_DISABLED", "true"}};
  EXPECT_EQ(aws({}, files).region, "eu-west-1");
  EXPECT_EQ(aws({{"profile", "work"}}, files).region, "ap-south-1");
  EXPECT_EQ(aws({{"profile", "work"}}, files).endpoint, "http://w");
  EXPECT_ERROR(not_found, "the profile 'nobody' is neither in", aws({{"profile", "nobody"}}, files));

  const auto network = std::make_shared<SimulatedNetwork>([](const http::Request&) { return reply(500); });
  const auto client = std::make_shared<http::Client>(network, http::Limits{}, network->clock);
  const auto keys = [&](const std::string& profile, Map variables = {}) {
    variables.insert(files.begin(), files.end());
    objects::CredentialChain chain(s3::aws_sources(environment_of(variables), profile), client);
    return chain.get().key_id;
  };
  EXPECT_EQ(keys(""), "D");
  EXPECT_EQ(keys("work"), "W");
  EXPECT_EQ(keys("", {{"AWS_PROFILE", "work"}}), "W");
  EXPECT_EQ(keys("", {{"AWS_ACCESS_KEY_ID", "V"}, {"AWS_SECRET_ACCESS_KEY", "S"}}), "V")
      << "the environment comes first";
  EXPECT_EQ(keys("work", {{"AWS_ACCESS_KEY_ID", "V"}, {"AWS_SECRET_ACCESS_KEY", "S"}}), "W")
      << "but for a profile that was asked for";
  EXPECT_ERROR(unsupported, "by sso_start_url, which tegula cannot do", keys("sso"));
  EXPECT_ERROR(unsupported, "by role_arn", keys("role"));
  EXPECT_ERROR(unsupported, "by role_arn", keys("both"));  // its keys are for assuming the role
  EXPECT_ERROR(invalid_argument, "set together", keys("", {{"AWS_ACCESS_KEY_ID", "V"}}));
  EXPECT_TRUE(network->requests.empty());
}

// What the services of AWS answer, each in its place of the chain.
TEST(AwsCredentials, FromServices) {
  const std::string keys =
      R"({"AccessKeyId":"A","SecretAccessKey":"B","Token":"T","Expiration":"2013-05-24T01:00:00Z"})";
  const auto network = std::make_shared<SimulatedNetwork>([&](const http::Request& request) {
    const std::string& url = request.url;
    const std::string* token = http::find(request.headers, "x-aws-ec2-metadata-token");
    if (url == "http://169.254.170.2/task" || url == "http://127.0.0.1:9/full") return reply(200, keys);
    if (url.ends_with("/latest/api/token")) return request.method == "PUT" ? reply(200, "IMDS") : reply(405);
    if (url.find("/security-credentials/") != std::string::npos) {
      if (!token || *token != "IMDS") return reply(401);
      return url.ends_with("/role") ? reply(200, keys) : reply(200, "role");
    }
    if (url == "https://sts.eu-west-1.amazonaws.com/")
      return reply(200,
                   "<R><Credentials><AccessKeyId>W</AccessKeyId><SecretAccessKey>X</SecretAccessKey><SessionToken>Y</"
                   "SessionToken>"
                   "<Expiration>2013-05-24T01:00:00Z</Expiration></Credentials></R>");
    return reply(404);
  });
  const auto client = std::make_shared<http::Client>(network, http::Limits{}, network->clock);
  const testing::TempFolder folder;
  std::ofstream(folder / "token") << "JWT\n";
  struct Case {
    Map variables;
    const char* key;
    const char* source;
  };
  const Case cases[] = {
      {{{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/task"}}, "A", "the container"},
      {{{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:9/full"}}, "A", "the container"},
      {{}, "A", "the EC2 metadata service"},
      {{{"AWS_EC2_METADATA_DISABLED", "true"}}, "", "none"},
      {{{"AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://nobody"}, {"AWS_EC2_METADATA_DISABLED", "true"}}, "", "none"},
      {{{"AWS_WEB_IDENTITY_TOKEN_FILE", folder / "token"}, {"AWS_ROLE_ARN", "arn"}, {"AWS_REGION", "eu-west-1"}},
       "W",
       "the web identity"},
  };
  for (const Case& c : cases) {
    objects::CredentialChain chain(s3::aws_sources(environment_of(c.variables), ""), client);
    EXPECT_EQ(chain.get().key_id, c.key) << c.source;
    EXPECT_EQ(chain.source(), c.source);
    const std::size_t asked = network->requests.size();
    chain.get();
    EXPECT_EQ(network->requests.size(), asked) << "once is enough";
  }
  // Five minutes before they expire they are asked for again.
  objects::CredentialChain chain(s3::aws_sources(environment_of({}), ""), client);
  chain.get();
  const std::size_t asked = network->requests.size();
  network->clock->passed += std::chrono::minutes(56);
  chain.get();
  EXPECT_GT(network->requests.size(), asked);
}

// A service that is silent for a moment, while keys are renewed and at the very start.
TEST(Credentials, OutliveAHiccupOfTheirSource) {
  const auto network = std::make_shared<SimulatedNetwork>([](const http::Request&) { return reply(500); });
  const auto client = std::make_shared<http::Client>(network, http::Limits{}, network->clock);
  const auto minutes = [&](int n) { network->clock->passed += std::chrono::minutes(n); };
  std::string habit = "silent";
  int asked = 0, others = 0;
  const auto find = [&](http::Client&) -> std::optional<objects::Credentials> {
    ++asked;
    if (habit == "silent") return std::nullopt;
    if (habit == "broken") throw Error(ErrorKind::permission, "broken");
    objects::Credentials keys;
    keys.key_id = habit;
    keys.expires = network->clock->date() + std::chrono::minutes(60);
    return keys;
  };
  const auto other = [&](http::Client&) -> std::optional<objects::Credentials> {
    ++others;
    return std::nullopt;
  };
  objects::CredentialChain chain({{"first", other}, {"the service", find}, {"last", other}}, client);
  EXPECT_EQ(chain.get().key_id, "");
  EXPECT_EQ(chain.source(), "none");
  habit = "A";
  minutes(2);
  EXPECT_EQ(chain.get().key_id, "A") << "that there are none is not for ever";
  EXPECT_EQ(chain.source(), "the service");
  others = 0;
  minutes(56);
  for (const char* trouble : {"silent", "broken"}) {
    habit = trouble;
    asked = 0;
    EXPECT_EQ(chain.get().key_id, "A") << "good for four more minutes";
    EXPECT_EQ(chain.get().key_id, "A");
    EXPECT_EQ(asked, 1) << "not at every request";
    EXPECT_EQ(chain.source(), "the service");
    minutes(1);
  }
  habit = "B";
  EXPECT_EQ(chain.get().key_id, "B");
  objects::Credentials refused = chain.get();
  habit = "silent";
  EXPECT_FALSE(chain.renew(refused)) << "nobody is no other key";
  EXPECT_EQ(chain.get().key_id, "B");
  habit = "C";
  EXPECT_TRUE(chain.renew(refused));
  habit = "silent";
  minutes(61);
  EXPECT_ERROR(permission, "the keys have expired, and the service gives no others", chain.get());
  EXPECT_EQ(others, 0) << "another source is another user";
}

// fork() while another thread asks.
TEST(Credentials, AChildDoesNotWaitForItsParent) {
  const auto network = std::make_shared<SimulatedNetwork>([](const http::Request&) { return reply(500); });
  const auto client = std::make_shared<http::Client>(network, http::Limits{}, network->clock);
  const pid_t parent = ::getpid();
  std::atomic<bool> asking{false}, over{false};
  objects::CredentialChain chain({{"slow",
                                   [&](http::Client&) {
                                     asking = true;
                                     while (::getpid() == parent && !over) std::this_thread::yield();
                                     return std::optional(objects::Credentials{"K", "S", "", "", {}});
                                   }}},
                                 client);
  std::thread thread([&] { chain.get(); });
  while (!asking) std::this_thread::yield();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // a child that waits for ever ends by it
    ::_exit(chain.get().key_id == "K" ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  over = true;
  thread.join();
  EXPECT_EQ(status, 0);
}

// Documents with keys, cut at every byte: no message shows a part of them.
TEST(Credentials, DamagedDocumentsAreNotQuoted) {
  const std::string keys = R"({"AccessKeyId":"A","SecretAccessKey":"HIDDENHIDDEN","Token":"HIDDENHIDDEN"})";
  const std::string account = R"({"type":"service_account","private_key":"HIDDENHIDDEN","client_email":"a@b"})";
  const testing::TempFolder folder;
  std::string body;
  const auto network = std::make_shared<SimulatedNetwork>([&](const http::Request&) { return reply(200, body); });
  const auto client = std::make_shared<http::Client>(network, http::Limits{}, network->clock);
  const auto check = [&](std::vector<objects::CredentialSource> sources) {
    objects::CredentialChain chain(std::move(sources), client);
    try {
      chain.get();
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("HID"), std::string::npos) << error.what();
    }
  };
  for (std::size_t size = 0; size < keys.size(); ++size) {
    body = keys.substr(0, size);
    check(s3::aws_sources(environment_of({{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/task"}}), ""));
    body = R"({"access_token":"HIDDENHIDDEN","expires_in":3600})";
    body.resize(std::min(size, body.size()));
    check({s3::google_sources(environment_of({}), "").back()});
  }
  for (std::size_t size = 0; size < account.size(); ++size) {
    std::ofstream(folder / "account.json") << account.substr(0, size);
    check(s3::google_sources(environment_of({}), folder / "account.json"));
  }
}

TEST(GoogleCredentials, AServiceAccountSignsForItsToken) {
  const auto network = std::make_shared<SimulatedNetwork>([](const http::Request& request) {
    if (request.url == "https://oauth2.example/token") {
      const std::string body(text_of(request.body[0]));
      return body.find("assertion=ey") != std::string::npos ? reply(200, R"({"access_token":"T","expires_in":3600})")
                                                            : reply(400);
    }
    return reply(404);
  });
  const auto client = std::make_shared<http::Client>(network, http::Limits{}, network->clock);
  const testing::TempFolder folder;
  const std::string key = "-----BEGIN PRIVATE KEY-----\\nbad\\n-----END PRIVATE KEY-----\\n";
  std::ofstream(folder / "bad.json")
      << R"({"type":"service_account","client_email":"a@b","token_uri":"https://oauth2.example/token","private_key":")"
      << key << "\"}";
  std::ofstream(folder / "user.json") << R"({"type":"external_account"})";
  const auto token = [&](const std::string& file) {
    objects::CredentialChain chain(s3::google_sources(environment_of({}), file.empty() ? "" : folder / file), client);
    return chain.get().bearer;
  };
  EXPECT_ERROR(invalid_argument, "private key of the service account cannot be used", token("bad.json"));
  EXPECT_ERROR(unsupported, "the type 'external_account' cannot be used", token("user.json"));
  EXPECT_ERROR(not_found, "there is no file", token("absent.json"));
  EXPECT_EQ(token(""), "") << "nobody at the metadata server";
}

}  // namespace
}  // namespace tegula
