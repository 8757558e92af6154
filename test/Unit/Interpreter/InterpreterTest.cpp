//===- InterpreterTest.cpp - The interpreter as a library -----------------===//

#include "tally/IR/Tally.h"
#include "tally/Interpreter/Execution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tally::interpreter;

namespace {

class InterpreterTest : public ::testing::Test {
protected:
  InterpreterTest() {
    context
        .loadDialect<arith::ArithDialect, func::FuncDialect,
                     linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                     tensor::TensorDialect, tally::TallyDialect>();
    context.allowUnregisteredDialects();
  }

  Outcome run(const char *text, ArrayRef<RuntimeValue> arguments) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return RunError{RunError::Kind::Unsupported, "does not parse",
                      UnknownLoc::get(&context)};
    for (auto function : module->getOps<FunctionOpInterface>())
      if (function.getName() == "main")
        return interpret(function, arguments, options);
    return RunError{RunError::Kind::Unsupported, "no main",
                    UnknownLoc::get(&context)};
  }

  static std::string describe(const Outcome &outcome) {
    if (const auto *failure = std::get_if<CheckFailure>(&outcome))
      return failure->describe();
    if (const auto *error = std::get_if<RunError>(&outcome))
      return error->describe();
    return "results";
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  InterpreterOptions options;
};

TEST_F(InterpreterTest, TensorsShareUntilTheyAreWritten) {
  Type i16 = IntegerType::get(&context, 16);
  Tensor a(i16, {2, 3});
  EXPECT_EQ(a.findPoison(), 0);
  for (int64_t i = 0; i < 6; ++i)
    a.set(i, Scalar(llvm::APInt(16, i)));
  EXPECT_FALSE(a.findPoison());
  Tensor b = a.withShape({6});
  b.set(4, Scalar::ofPoison());
  EXPECT_EQ(b.findPoison(), 4);
  EXPECT_FALSE(a.findPoison());
  EXPECT_EQ(a.get(4).getInt(), 4);
  EXPECT_EQ(a.getPosition({1, 1}), 4);
  EXPECT_EQ(a.getPosition({2, 0}), std::nullopt);
  EXPECT_EQ(a.getPosition({0, -1}), std::nullopt);
  EXPECT_EQ(a.getBytes().size(), 12u);
}

TEST_F(InterpreterTest, BytesThatDoNotFit) {
  Type i64 = IntegerType::get(&context, 64);
  int64_t large = int64_t(1) << 62;
  EXPECT_EQ(Tensor::getNumBytes(i64, {large, 2}), std::nullopt);
  EXPECT_EQ(Tensor::getNumBytes(i64, {large, 0}), 0);
  EXPECT_EQ(Tensor::getNumBytes(i64, {-1}), std::nullopt);
}

TEST_F(InterpreterTest, ABoundlessLoopEndsWithAnError) {
  options.maxSteps = 1000;
  Outcome outcome = run(R"(
    func.func @main() {
      %true = arith.constant true
      scf.while : () -> () {
        scf.condition(%true)
      } do {
        scf.yield
      }
      return
    })",
                        {});
  ASSERT_TRUE(std::holds_alternative<RunError>(outcome));
  EXPECT_EQ(std::get<RunError>(outcome).kind, RunError::Kind::Budget);
  EXPECT_EQ(std::get<RunError>(outcome).message,
            "the program takes more than 1000 steps");
}

TEST_F(InterpreterTest, WhatIsWrittenBack) {
  Type i64 = IntegerType::get(&context, 64);
  Outcome outcome =
      run(R"(
    func.func @main(%x: tensor<2xi64>, %y: i64) -> (i64, tensor<2xi64> {tally.mutates = 0 : i64}) {
      %s = arith.addi %x, %x : tensor<2xi64>
      return %y, %s : i64, tensor<2xi64>
    })",
          {Tensor::splat(i64, {2}, Scalar::ofIndex(21)), Scalar::ofIndex(7)});
  ASSERT_TRUE(std::holds_alternative<Results>(outcome)) << describe(outcome);
  const auto &results = std::get<Results>(outcome);
  ASSERT_EQ(results.returned.size(), 1u);
  EXPECT_EQ(results.returned[0].getScalar().getInt(), 7);
  ASSERT_EQ(results.mutated.size(), 1u);
  EXPECT_EQ(results.mutated[0].first, 0u);
  EXPECT_EQ(results.mutated[0].second.getTensor().get(1).getInt(), 42);
}

TEST_F(InterpreterTest, AHandlerFromElsewhere) {
  const char *text = R"(
    func.func @main(%x: i64) -> i64 {
      %r = "mine.double"(%x) : (i64) -> i64
      return %r : i64
    })";
  Outcome outcome = run(text, {Scalar::ofIndex(4)});
  EXPECT_NE(describe(outcome).find("does not know 'mine.double'"),
            std::string::npos);
  HandlerTable table = HandlerTable::getDefault();
  table.add("mine.double", [](Operation *op, Execution &execution) {
    Scalar x = execution.getScalar(op->getOperand(0));
    execution.set(op->getResult(0), Scalar(x.getBits() << 1));
    return success();
  });
  options.handlers = &table;
  outcome = run(text, {Scalar::ofIndex(4)});
  ASSERT_TRUE(std::holds_alternative<Results>(outcome)) << describe(outcome);
  EXPECT_EQ(std::get<Results>(outcome).returned[0].getScalar().getInt(), 8);
}

TEST_F(InterpreterTest, ArgumentsThatDoNotFit) {
  Type i64 = IntegerType::get(&context, 64), i8 = IntegerType::get(&context, 8);
  const char *text = R"(
    func.func @main(%x: tensor<?x2xi64> {tally.name = "x"}) {
      return
    })";
  auto refusal = [&](const char *text, ArrayRef<RuntimeValue> arguments) {
    Outcome outcome = run(text, arguments);
    const auto *error = std::get_if<RunError>(&outcome);
    bool isBad = error && error->kind == RunError::Kind::BadArguments;
    return isBad ? error->message : "not refused";
  };
  EXPECT_EQ(refusal(text, {}), "main: argument 0 ('x') is missing");
  EXPECT_EQ(refusal(text, {Scalar::ofIndex(1)}),
            "main: argument 0 ('x') is no tensor");
  EXPECT_EQ(refusal(text, {Tensor(i8, {1, 2})}),
            "main: argument 0 ('x') has another element type");
  EXPECT_EQ(refusal(text, {Tensor(i64, {2})}),
            "main: argument 0 ('x') has rank 1, expected 2");
  EXPECT_EQ(refusal(text, {Tensor(i64, {1, 2}), Tensor(i64, {1, 2})}),
            "'main' takes 1 arguments, not 2");
  const char *number = "func.func @main(%x: i64) { return }";
  EXPECT_EQ(refusal(number, {Tensor(i64, {})}),
            "main: argument 0 ('arg0') is no scalar");
  EXPECT_EQ(refusal(number, {Scalar::ofBool(true)}),
            "main: argument 0 ('arg0') has another type");
  EXPECT_EQ(refusal("func.func @main(%x: memref<2xf32>) { return }",
                    {Scalar::ofIndex(1)}),
            "main: argument 0 ('arg0') is no tensor");
  EXPECT_NE(
      describe(run("func.func @main(%x: vector<2xf32>) { return }", {Scalar()}))
          .find("argument 0 of 'main' has a type that the interpreter does not "
                "know"),
      std::string::npos);
  Outcome outcome = run(text, {Tensor(i64, {1, 3})});
  ASSERT_TRUE(std::holds_alternative<CheckFailure>(outcome));
  EXPECT_EQ(std::get<CheckFailure>(outcome).kind,
            CheckFailure::Kind::Declaration);
  EXPECT_EQ(std::get<CheckFailure>(outcome).expression, "x.size(1) == 2");
}

TEST_F(InterpreterTest, KindsOfFailures) {
  auto kindOf = [&](const char *text, RuntimeValue argument) {
    Outcome outcome = run(text, {std::move(argument)});
    EXPECT_TRUE(std::holds_alternative<CheckFailure>(outcome))
        << describe(outcome);
    const auto *failure = std::get_if<CheckFailure>(&outcome);
    return failure ? failure->kind : CheckFailure::Kind::CustomCall;
  };
  EXPECT_EQ(kindOf(R"(
    func.func @main(%n: i64 {tally.value = #tally.expr<s0>})
        attributes {tally.symbols = #tally.symbols<s0 : [0, 8]>} {
      return
    })",
                   Scalar::ofIndex(9)),
            CheckFailure::Kind::Declaration);
  EXPECT_EQ(kindOf(R"(
    func.func @main(%n: i64) {
      tally.check <n <= 8> (n = %n : i64)
      return
    })",
                   Scalar::ofIndex(9)),
            CheckFailure::Kind::Statement);
  EXPECT_EQ(kindOf(R"(
    func.func @main(%n: i64) -> i64 {
      %r = arith.divsi %n, %n : i64
      return %r : i64
    })",
                   Scalar::ofIndex(0)),
            CheckFailure::Kind::Precondition);
}

} // namespace
