//===- CodeTest.cpp - Bodies that are shared, parts and pieces of code ----===//

#include "../../../lib/Driver/CodeParts.h"
#include "../../../lib/Driver/LongFunctions.h"
#include "../../../lib/Driver/Optimize.h"
#include "../../../lib/Driver/ProcessorLevels.h"
#include "../../../lib/Driver/SharedBodies.h"
#include "../../../lib/Driver/TargetMachine.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace llvm;

namespace {

class CodeTest : public testing::Test {
protected:
  /// Two integers and a float of a body.
  struct Numbers {
    int stride, window;
    const char *scale;
  };

  /// A module with a loop for each of these.
  void parse(ArrayRef<Numbers> loops) {
    std::string text = "target triple = \"x86_64-unknown-linux-gnu\"\n"
                       "declare i32 @tally_rt_parallel_for(ptr, i64, i64, "
                       "i64, ptr, ptr)\n";
    std::string main = "define i32 @main(ptr %ctx, ptr %data) {\n";
    for (auto [number, loop] : enumerate(loops)) {
      std::string name = "@body" + std::to_string(number);
      text += "define internal i32 " + name +
              "(ptr %ctx, i64 %begin, i64 %end, ptr %data) {\n"
              "entry:\n  br label %loop\n"
              "loop:\n"
              "  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]\n"
              "  %next = add i64 %i, 1\n"
              "  %row = mul i64 %i, " +
              std::to_string(loop.stride) + "\n  %w = mul i64 %i, " +
              std::to_string(loop.window) +
              "\n  %at = add i64 %row, %w\n"
              "  %p = getelementptr float, ptr %data, i64 %at\n"
              "  %x = load float, ptr %p\n"
              "  %y = fmul float %x, " +
              loop.scale +
              "\n  store float %y, ptr %p\n"
              "  %more = icmp slt i64 %next, %end\n"
              "  br i1 %more, label %loop, label %done\n"
              "done:\n  ret i32 0\n}\n";
      main += "  %c" + std::to_string(number) +
              " = call i32 @tally_rt_parallel_for(ptr %ctx, i64 0, i64 8, i64 "
              "1, ptr " +
              name + ", ptr %data)\n";
    }
    parseText(text + main + "  ret i32 0\n}\n");
  }

  void parseText(const std::string &text) {
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    ASSERT_TRUE(module) << error.getMessage().str();
  }

  unsigned countBodies() const {
    unsigned count = 0;
    for (const Function &function : *module)
      count += !function.isDeclaration() && function.getName() != "main";
    return count;
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
};

TEST_F(CodeTest, ConstantsArePassed) {
  parse({{64, 3, "2.0"}, {128, 3, "4.0"}, {64, 3, "2.0"}, {64, 3, "8.0"}});
  tally::shareBodies(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  EXPECT_EQ(countBodies(), 1u);
  // Each call has a table of its own; the window is not in it.
  unsigned tables = 0;
  for (const GlobalVariable &table : module->globals()) {
    EXPECT_EQ(cast<StructType>(table.getValueType())->getNumElements(), 2u);
    ++tables;
  }
  EXPECT_EQ(tables, 4u);
}

TEST_F(CodeTest, SmallNumbersStayApart) {
  parse({{64, 3, "2.0"}, {64, 5, "2.0"}, {1, 3, "2.0"}, {64, 15, "2.0"}});
  tally::shareBodies(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  EXPECT_EQ(countBodies(), 4u);
}

// Bodies that end with the numbers of checks of their own, but for small ones.
TEST_F(CodeTest, NumbersOfChecksArePassed) {
  std::string text =
      "declare i32 @tally_rt_parallel_for(ptr, i64, i64, i64, ptr, ptr)\n";
  std::string main = "define i32 @main(ptr %ctx, ptr %data) {\n";
  for (std::string number : {"17", "40", "3"}) {
    text += "define internal i32 @body" + number +
            "(ptr %ctx, i64 %begin, i64 %end, ptr %data) {\n"
            "  %bad = icmp eq i64 %begin, %end\n"
            "  br i1 %bad, label %fail, label %done\n"
            "fail:\n  br label %done\n"
            "done:\n  %r = phi i32 [ 0, %0 ], [ " +
            number + ", %fail ]\n  ret i32 %r\n}\n";
    main += "  %c" + number +
            " = call i32 @tally_rt_parallel_for(ptr %ctx, i64 0, i64 8, i64 1, "
            "ptr @body" +
            number + ", ptr %data)\n";
  }
  parseText(text + main + "  ret i32 0\n}\n");
  tally::shareBodies(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  EXPECT_EQ(countBodies(), 2u);
}

TEST_F(CodeTest, EqualPlacesShareAParameter) {
  parse({{64, 64, "2.0"}, {128, 128, "2.0"}});
  tally::shareBodies(*module);
  EXPECT_EQ(countBodies(), 1u);
  for (const GlobalVariable &table : module->globals())
    EXPECT_EQ(cast<StructType>(table.getValueType())->getNumElements(), 1u);
}

TEST_F(CodeTest, PartsAndTheRestAreValid) {
  std::vector<Numbers> loops;
  for (int i = 0; i < 100; ++i)
    loops.push_back({1, i % 15 + 1, i % 2 ? "2.0" : "4.0"});
  parse(loops);
  tally::declareVersions(*module, "model", {"x86-64-v3", "x86-64-v4"});
  auto parts = tally::splitCode(*module, "model");
  EXPECT_FALSE(verifyModule(*module, &errs()));
  EXPECT_GT(parts.size(), 1u);
  StringMap<unsigned> defined;
  for (StringRef part : parts) {
    LLVMContext other;
    auto code = parseBitcodeFile(MemoryBufferRef(part, "part"), other);
    ASSERT_TRUE(bool(code));
    tally::defineVersions(**code);
    EXPECT_FALSE(verifyModule(**code, &errs()));
    for (const Function &function : **code)
      if (!function.isDeclaration()) {
        ++defined[function.getName()];
        EXPECT_TRUE(function.getName().starts_with("model."));
        EXPECT_TRUE(function.hasHiddenVisibility());
      }
  }
  // Three versions of each, in one part each, and nowhere else.
  EXPECT_EQ(defined.size(), 300u);
  for (auto &entry : defined) {
    EXPECT_EQ(entry.second, 1u);
    EXPECT_TRUE(module->getFunction(entry.first())->isDeclaration());
  }
}

TEST_F(CodeTest, LittleCodeStaysWhole) {
  parse({{64, 3, "2.0"}, {64, 5, "2.0"}});
  EXPECT_TRUE(tally::splitCode(*module, "model").empty());
  EXPECT_EQ(countBodies(), 2u);
}

/// Steps that hand a number on in a slot of the stack, and compute the same of
/// the argument: pieces need neither the slot nor what they can compute once.
TEST_F(CodeTest, PiecesShareLittle) {
  constexpr int numSteps = 12;
  std::string text = "define i64 @main(i64 %x) {\n"
                     "entry:\n  %slot = alloca i64\n"
                     "  store i64 0, ptr %slot\n  br label %step0\n";
  for (int i = 0; i < numSteps; ++i) {
    std::string n = std::to_string(i);
    text += "step" + n + ":\n  %old" + n + " = load i64, ptr %slot\n  %twice" +
            n + " = mul i64 %x, %x\n  %new" + n + " = add i64 %old" + n +
            ", %twice" + n + "\n  store i64 %new" + n +
            ", ptr %slot\n  br label %step" + std::to_string(i + 1) + "\n";
  }
  parseText(text + "step" + std::to_string(numSteps) +
            ":\n  %sum = load i64, ptr %slot\n  ret i64 %sum\n}\n");
  setenv("TALLY_PIECE_SIZE", "4", /*overwrite=*/1);
  tally::splitLongFunctions(*module);
  unsetenv("TALLY_PIECE_SIZE");
  EXPECT_FALSE(verifyModule(*module, &errs()));
  EXPECT_GT(module->size(), 2u);
  unsigned products = 0;
  for (const Function &function : *module)
    for (const Instruction &inner : instructions(function)) {
      products += inner.getOpcode() == Instruction::Mul;
      EXPECT_NE(inner.getName(), "slot");
    }
  EXPECT_EQ(products, 1u);
}

TEST_F(CodeTest, PiecesLoadArgumentsAgain) {
  constexpr int numArguments = 12;
  std::string parameters, loads, values, steps;
  for (int i = 0; i < numArguments; ++i) {
    std::string n = std::to_string(i), comma = i == 0 ? "" : ", ";
    parameters += comma + "i64 %x" + n;
    values += comma + "i64 %v" + n;
    loads += "  %at" + n + " = getelementptr ptr, ptr %slots, i64 " + n +
             "\n  %p" + n + " = load ptr, ptr %at" + n +
             ", !invariant.load !0\n  %v" + n + " = load i64, ptr %p" + n +
             ", !invariant.load !0\n";
    steps += "step" + n + ":\n  %twice" + n + " = mul i64 %x" + n +
             ", 2\n  %isSmall" + n + " = icmp ult i64 %twice" + n +
             ", 1000\n  br i1 %isSmall" + n + ", label %step" +
             std::to_string(i + 1) + ", label %failed\n";
  }
  parseText("define internal i64 @inner(" + parameters +
            ") {\nentry:\n  br label %step0\n" + steps + "step" +
            std::to_string(numArguments) +
            ":\n  ret i64 1\nfailed:\n  ret i64 0\n}\n"
            "define i64 @thunk(ptr %slots) {\n" +
            loads + "  %r = call i64 @inner(" + values +
            ")\n  ret i64 %r\n}\n!0 = !{}\n");
  setenv("TALLY_PIECE_SIZE", "4", /*overwrite=*/1);
  tally::splitLongFunctions(*module);
  unsetenv("TALLY_PIECE_SIZE");
  EXPECT_FALSE(verifyModule(*module, &errs()));
  // It is in the thunk, and no piece takes more than the list.
  EXPECT_EQ(module->getFunction("inner"), nullptr);
  EXPECT_GT(module->size(), 3u);
  unsigned numLoads = 0;
  for (const Function &function : *module) {
    EXPECT_LE(function.arg_size(), 1u);
    for (const Instruction &inner : instructions(function)) {
      numLoads += isa<LoadInst>(inner);
      EXPECT_FALSE(isa<StoreInst>(inner));
    }
  }
  EXPECT_EQ(numLoads, 2u * numArguments);
}

TEST_F(CodeTest, LongFunctionsKeepConditions) {
  auto machine = tally::createTargetMachine("generic");
  ASSERT_TRUE(bool(machine));
  auto countConditions = [&](int numCalls) {
    std::string text =
        "declare void @step()\ndefine i1 @main(i64 %a, i64 %b, i64 %c) {\n"
        "  %x = icmp slt i64 %a, %b\n  br i1 %x, label %next, label %no\n"
        "next:\n  call void @step()\n  %y = icmp slt i64 %b, %c\n"
        "  br i1 %y, label %yes, label %no\nyes:\n";
    for (int i = 0; i < numCalls; ++i)
      text += "  call void @step()\n";
    parseText(text + "  %z = icmp slt i64 %a, %c\n  ret i1 %z\n"
                     "no:\n  ret i1 false\n}\n");
    tally::optimizeCode(*module, **machine, /*level=*/3);
    EXPECT_FALSE(verifyModule(*module, &errs()));
    unsigned count = 0;
    for (const Instruction &inner : instructions(module->getFunction("main")))
      count += isa<ICmpInst>(inner);
    return count;
  };
  // The last one follows from the others.
  EXPECT_EQ(countConditions(1), 2u);
  EXPECT_EQ(countConditions(600), 3u);
}

} // namespace
