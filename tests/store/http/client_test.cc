// Second tries, pauses and limits, in simulated time.
#include "store/http/client.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/expect_error.h"
#include "support/simulated_network.h"

namespace tegula {
namespace {

using http::Failure;
using testing::broken;
using testing::Reply;
using testing::reply;
using testing::SimulatedNetwork;

// A server that gives these replies in turn, the last one for ever.
std::shared_ptr<SimulatedNetwork> server(std::vector<Reply> replies) {
  return std::make_shared<SimulatedNetwork>([replies, next = std::size_t{0}](const http::Request&) mutable {
    return replies[std::min(next++, replies.size() - 1)];
  });
}

struct Case {
  const char* what;
  std::vector<Reply> replies;
  int status;
  std::size_t tries;
  int milliseconds;  // in all, with the longest pauses; a reply takes 1
};

TEST(HttpClient, WhatIsTriedAgain) {
  const Case cases[] = {
      {"right at once", {reply(200)}, 200, 1, 1},
      {"absent", {reply(404)}, 404, 1, 1},
      {"denied", {reply(403)}, 403, 1, 1},
      {"busy once", {reply(503), reply(200)}, 200, 2, 102},
      {"pauses double", {reply(500), reply(502), reply(504), reply(200)}, 200, 4, 704},
      {"too many", {reply(429), reply(200)}, 200, 2, 102},
      {"slow client", {reply(408), reply(200)}, 200, 2, 102},
      {"reset", {broken(Failure::transfer, "reset"), reply(200)}, 200, 2, 102},
      {"refused once", {broken(Failure::connect, "refused"), reply(200)}, 200, 2, 102},
      {"refused from the start: the address is wrong", {broken(Failure::connect, "refused")}, 0, 4, 704},
      {"refused after an answer: the server restarts", {reply(503), broken(Failure::connect, "refused")}, 0, 8, 12'708},
      {"a bad certificate", {broken(Failure::fatal, "certificate")}, 0, 1, 1},
      {"too large", {broken(Failure::limit, "large")}, 0, 1, 1},
      {"busy for ever", {reply(503)}, 503, 8, 12'708},
      {"the server says when", {reply(503, "", {{"retry-after", "7"}}), reply(200)}, 200, 2, 7002},
      {"as a date", {reply(503, "", {{"retry-after", "Fri, 24 May 2013 00:00:09 GMT"}}), reply(200)}, 200, 2, 9001},
      {"a date that is over",
       {reply(503, "", {{"retry-after", "Thu, 23 May 2013 00:00:09 GMT"}}), reply(200)},
       200,
       2,
       102},
      {"nonsense", {reply(503, "", {{"retry-after", "soon"}}), reply(200)}, 200, 2, 102},
      {"longer than anybody waits", {reply(503, "", {{"retry-after", "3600"}}), reply(200)}, 503, 1, 1},
  };
  for (const Case& c : cases) {
    const auto network = server(c.replies);
    http::Client client(network, {}, network->clock);
    http::Call call;
    client.run(call);
    EXPECT_EQ(call.answer.status, c.status) << c.what;
    EXPECT_EQ(network->requests.size(), c.tries) << c.what;
    EXPECT_EQ(call.tries, c.tries) << c.what;
    EXPECT_EQ(network->clock->passed.count(), c.milliseconds) << c.what;
    EXPECT_EQ(client.traffic().requests, c.tries) << c.what;
    EXPECT_EQ(client.traffic().retries, c.tries - 1) << c.what;
  }
}

TEST(HttpClient, PausesAreRandomAndAllTriesEndInTime) {
  const auto network = server({reply(503)});
  network->clock->chance = 0.25;
  http::Client client(network, {}, network->clock);
  http::Call call;
  client.run(call);
  EXPECT_EQ(network->clock->passed.count(), 12'700 / 4 + 8);

  const auto slow = server({Reply{503, {}, "", Failure::none, "", std::chrono::seconds(50)}});
  http::Client patient(slow, {}, slow->clock);
  http::Call late;
  patient.run(late);
  EXPECT_EQ(late.tries, 3u) << "the fourth would begin after two minutes";
}

TEST(HttpClient, ManyAtOnceWithinTheLimit) {
  const auto network = std::make_shared<SimulatedNetwork>([](const http::Request& request) {
    return Reply{200, {}, request.url, Failure::none, "", std::chrono::milliseconds(20)};
  });
  http::Limits limits;
  limits.at_once = 16;
  http::Client client(network, limits, network->clock);
  std::vector<http::Call> calls(100);
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i].request.url = "http://x/" + std::to_string(i);
  std::vector<int> ended(calls.size());
  client.run(calls, {}, [&](std::size_t i) {
    ++ended[i];
    EXPECT_EQ(text_of(calls[i].answer.body), calls[i].request.url);
  });
  EXPECT_EQ(ended, std::vector<int>(calls.size(), 1));
  EXPECT_EQ(network->most_at_once, 16u);
  EXPECT_EQ(network->clock->passed.count(), 7 * 20) << "rounds of 16";
}

// As those of several threads: who comes later has what is left, and always one.
TEST(HttpClient, TheLimitHoldsForAllRuns) {
  http::Limits limits;
  limits.at_once = 4;
  const auto network = std::make_shared<SimulatedNetwork>([](const http::Request&) { return reply(200); });
  http::Client client(network, limits, network->clock);
  std::vector<http::Call> outer(4);
  std::vector<std::size_t> most;
  client.run(outer, {}, [&](std::size_t) {
    network->most_at_once = 0;
    std::vector<http::Call> inner(6);
    client.run(inner, {});
    most.push_back(network->most_at_once);
  });
  EXPECT_EQ(most, (std::vector<std::size_t>{1, 2, 3, 4}));
}

TEST(HttpClient, WhoWaitsForASecondTryDoesNotHoldUpOthers) {
  const auto network = std::make_shared<SimulatedNetwork>(
      [](const http::Request& request) { return reply(request.url == "busy" ? 503 : 200); });
  http::Limits limits;
  limits.at_once = 1;
  http::Client client(network, limits, network->clock);
  std::vector<http::Call> calls(3);
  calls[0].request.url = "busy";
  std::vector<std::size_t> order;
  client.run(calls, {}, [&](std::size_t i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<std::size_t>{1, 2, 0}));
}

TEST(HttpClient, SignsEveryTryAndTriesAtOnceWithSomethingNew) {
  const auto network = std::make_shared<SimulatedNetwork>(
      [](const http::Request& request) { return reply(request.headers[0].value == "new" ? 200 : 403); });
  http::Client client(network, {}, network->clock);
  http::Call call;
  std::string token = "old";
  call.prepare = [&](http::Request& request) { request.headers = {{"token", token}}; };
  call.judge = [&](const http::Answer& answer) {
    token = "new";
    return answer.status == 403 ? http::Verdict::again_now : http::Verdict::done;
  };
  client.run(call);
  EXPECT_EQ(call.answer.status, 200);
  EXPECT_EQ(network->clock->passed.count(), 2) << "without a pause";

  http::Call never;
  never.prepare = [&](http::Request& request) { request.headers = {{"token", "wrong"}}; };
  never.judge = [](const http::Answer&) { return http::Verdict::again_now; };
  client.run(never);
  EXPECT_EQ(never.answer.status, 403) << "not for ever";
  EXPECT_LE(never.tries, 4u);
}

// The request to stop comes while the server is silent, or while a second try is due in a minute.
TEST(HttpClient, CancellationEndsWaitingWithinASecond) {
  for (const Reply& waits :
       {Reply{200, {}, "", Failure::none, "", std::chrono::hours(1)}, reply(503, "", {{"retry-after", "60"}})}) {
    Cancel cancel;
    const auto network = std::make_shared<SimulatedNetwork>([&](const http::Request&) {
      cancel.request();
      return waits;
    });
    Work work;
    work.cancel = &cancel;
    http::Client client(network, {}, network->clock);
    http::Call call;
    EXPECT_ERROR(cancelled, "", client.run(call, work));
    EXPECT_LE(network->clock->passed, std::chrono::seconds(1));
  }
}

TEST(HttpClient, WhatASinkThrowsEndsTheRun) {
  struct Sink : http::BodySink {
    void begin(int, const http::Headers&) override {}
    void take(ByteView) override { throw Error(ErrorKind::corrupt, "not these bytes"); }
  } sink;
  const auto network = server({reply(200, "body")});
  http::Client client(network, {}, network->clock);
  http::Call call;
  call.request.sink = &sink;
  EXPECT_ERROR(corrupt, "not these bytes", client.run(call));
}

TEST(HttpClient, TraceLines) {
  http::Call call;
  call.key = "a/b";
  call.range = "bytes=0-9";
  call.answer.status = 206;
  call.answer.received = 10;
  call.answer.took = std::chrono::microseconds(12'340);
  EXPECT_EQ(http::trace_line(call), "GET a/b bytes=0-9 206 10 bytes 12.3 ms");
  call.tries = 3;
  call.answer.failure = Failure::transfer;
  call.answer.failure_text = "connection reset";
  call.answer.received = 0;
  EXPECT_EQ(http::trace_line(call), "GET a/b bytes=0-9 connection reset 12.3 ms try 3");
}

}  // namespace
}  // namespace tegula
