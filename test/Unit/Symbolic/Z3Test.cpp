//===- Z3Test.cpp - What Z3 is asked, and what it answers -----------------===//

#include "tally/Z3/Z3.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tally;

namespace {

class Z3Test : public testing::Test {
protected:
  void SetUp() override {
    std::string error;
    solver = Z3Solver::open(error);
    if (!solver)
      GTEST_SKIP() << error;
    EXPECT_EQ(error, "");
  }

  Satisfiability check(llvm::StringRef script, unsigned milliseconds = 20000) {
    message.clear();
    return solver->check(script, milliseconds, message);
  }

  /// The lowest descriptor that is free.
  static int getNextDescriptor() {
    int next = dup(0);
    close(next);
    return next;
  }

  std::unique_ptr<Z3Solver> solver;
  std::string message;
};

/// Takes Z3 hours: two factors of a number of 130 bits.
constexpr const char *hardScript =
    "(declare-const x (_ BitVec 130))(declare-const y (_ BitVec 130))"
    "(assert (= (bvmul x y) (_ bv680564733841876926926749214863536422987 130)))"
    "(assert (bvult x (_ bv18446744073709551616 130)))"
    "(assert (bvult y (_ bv18446744073709551616 130)))"
    "(assert (bvugt x (_ bv1 130)))(assert (bvugt y (_ bv1 130)))";

TEST_F(Z3Test, answers) {
  EXPECT_EQ(check("(declare-const x Int)(assert (> x 3))"),
            Satisfiability::Sat);
  EXPECT_EQ(message, "");
  EXPECT_EQ(check("(declare-const x Int)(assert (> x 3))(assert (< x 4))"),
            Satisfiability::Unsat);
  EXPECT_EQ(message, "");
  EXPECT_EQ(check(""), Satisfiability::Sat);
}

TEST_F(Z3Test, errorOfAScript) {
  for (const char *script : {"(assert (> x 3))", "(assert", "nonsense"}) {
    EXPECT_EQ(check(script), Satisfiability::Unknown);
    EXPECT_NE(message.find("error"), std::string::npos) << message;
  }
}

// Messages are read to their end.
TEST_F(Z3Test, longMessage) {
  std::string name(10000, 'x');
  EXPECT_EQ(check("(assert (> " + name + " 3))"), Satisfiability::Unknown);
  EXPECT_NE(message.find(name), std::string::npos) << message;
}

TEST_F(Z3Test, timeLimit) {
  for (unsigned milliseconds : {300u, 1200u}) {
    auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(check(hardScript, milliseconds), Satisfiability::Unknown);
    std::chrono::milliseconds took =
        std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - start);
    EXPECT_GE(took.count(), static_cast<int64_t>(milliseconds) - 50);
    EXPECT_LT(took.count(), 20000);
    EXPECT_EQ(message, "");
  }
}

// A process that ignores alarms has children that end all the same.
TEST_F(Z3Test, alarmsAreIgnored) {
  auto *before = std::signal(SIGALRM, SIG_IGN);
  EXPECT_EQ(check(hardScript, 200), Satisfiability::Unknown);
  std::signal(SIGALRM, before);
}

TEST_F(Z3Test, nothingIsLeftBehind) {
  int before = getNextDescriptor();
  EXPECT_EQ(check(""), Satisfiability::Sat);
  EXPECT_EQ(check(hardScript, 100), Satisfiability::Unknown);
  EXPECT_EQ(getNextDescriptor(), before);
  // No child has ended without being waited for.
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

// A process answers one script after the other, whatever came before.
TEST_F(Z3Test, oneAfterTheOther) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(check("(declare-const x Int)(assert (> x 3))(assert (< x 4))"),
              Satisfiability::Unsat);
    EXPECT_EQ(check("(assert (> x 3))"), Satisfiability::Unknown);
    EXPECT_EQ(check("(declare-const x Real)(assert (> x 3))(assert (< x 4))"),
              Satisfiability::Sat);
  }
  EXPECT_EQ(check(hardScript, 100), Satisfiability::Unknown);
  EXPECT_EQ(check("(declare-const x Int)(assert (> x 3))"),
            Satisfiability::Sat);
}

TEST_F(Z3Test, threadsAskAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> numRight = 0;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 10; ++i) {
        std::string error;
        std::string limit = std::to_string(thread % 2 == 0 ? 4 : 5);
        numRight +=
            solver->check("(declare-const x Int)(assert (> x 3))"
                          "(assert (< x " +
                              limit + "))",
                          20000, error) ==
            (thread % 2 == 0 ? Satisfiability::Unsat : Satisfiability::Sat);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numRight, 40);
}

TEST_F(Z3Test, processesEndWithTheSolver) {
  int before = getNextDescriptor();
  EXPECT_EQ(check(""), Satisfiability::Sat);
  EXPECT_NE(getNextDescriptor(), before);
  solver.reset();
  EXPECT_EQ(getNextDescriptor(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(Z3Test, noDescriptorIsFree) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(getNextDescriptor());
  setrlimit(RLIMIT_NOFILE, &none);
  EXPECT_EQ(check(""), Satisfiability::Unknown);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(message, "Too many open files");
  EXPECT_EQ(check(""), Satisfiability::Sat);
}

} // namespace
