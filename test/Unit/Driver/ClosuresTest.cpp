//===- ClosuresTest.cpp - What parallel loops get from outside ------------===//

#include "../../../lib/Driver/Closures.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace llvm;

namespace {

class ClosuresTest : public testing::Test {
protected:
  void parse(const std::string &text) {
    SMDiagnostic error;
    module = parseAssemblyString(
        "declare i32 @tally_rt_parallel_for(ptr, i64, i64, i64, ptr, ptr)\n" +
            text,
        error, context);
    ASSERT_TRUE(module) << error.getMessage().str();
  }

  /// The instructions of a kind in a function.
  template <typename T>
  SmallVector<T *> find(StringRef name) {
    SmallVector<T *> found;
    for (Instruction &inner : instructions(*module->getFunction(name)))
      if (auto *match = dyn_cast<T>(&inner))
        found.push_back(match);
    return found;
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
};

/// A body that reads the pointer and the last number of a descriptor.
const char *const kBody =
    "define internal i32 @body(ptr %ctx, i64 %begin, i64 %end, ptr %data) {\n"
    "  %all = load {{ptr, i64, [2 x i64]}, i64}, ptr %data\n"
    "  %memory = extractvalue {{ptr, i64, [2 x i64]}, i64} %all, 0\n"
    "  %at = extractvalue {ptr, i64, [2 x i64]} %memory, 0\n"
    "  %stride = extractvalue {{ptr, i64, [2 x i64]}, i64} %all, 0, 2, 1\n"
    "  %again = extractvalue {{ptr, i64, [2 x i64]}, i64} %all, 0, 0\n"
    "  %p = getelementptr float, ptr %at, i64 %stride\n"
    "  store float 1.0, ptr %p\n"
    "  store float 2.0, ptr %again\n"
    "  ret i32 0\n}\n";

TEST_F(ClosuresTest, UnreadPartsAreNotStored) {
  parse(std::string(kBody) +
        "define internal i32 @other(ptr %ctx, i64 %begin, i64 %end, ptr %data) "
        "{\n"
        "  %all = load {i64, i64, i64}, ptr %data\n"
        "  %a = extractvalue {i64, i64, i64} %all, 0\n"
        "  %b = extractvalue {i64, i64, i64} %all, 1\n"
        "  %c = extractvalue {i64, i64, i64} %all, 2\n"
        "  %s = add i64 %a, %b\n  %t = add i64 %s, %c\n"
        "  %r = trunc i64 %t to i32\n  ret i32 %r\n}\n"
        "define i32 @main(ptr %ctx, ptr %at, i64 %x, i64 %y, {ptr, i64, [2 x "
        "i64]} %known) {\n"
        "  %first = alloca {{ptr, i64, [2 x i64]}, i64}\n"
        "  %second = alloca {i64, i64, i64}\n"
        "  %third = alloca {{ptr, i64, [2 x i64]}, i64}\n"
        "  %m0 = insertvalue {ptr, i64, [2 x i64]} poison, ptr %at, 0\n"
        "  %m1 = insertvalue {ptr, i64, [2 x i64]} %m0, i64 %x, 1\n"
        "  %m2 = insertvalue {ptr, i64, [2 x i64]} %m1, i64 %x, 2, 0\n"
        "  %m3 = insertvalue {ptr, i64, [2 x i64]} %m2, i64 %y, 2, 1\n"
        "  %c0 = insertvalue {{ptr, i64, [2 x i64]}, i64} poison, {ptr, i64, "
        "[2 x i64]} %m3, 0\n"
        "  %c1 = insertvalue {{ptr, i64, [2 x i64]}, i64} %c0, i64 %x, 1\n"
        "  store {{ptr, i64, [2 x i64]}, i64} %c1, ptr %first\n"
        "  %r0 = call i32 @tally_rt_parallel_for(ptr %ctx, i64 0, i64 8, i64 "
        "1, ptr @body, ptr %first)\n"
        "  %d0 = insertvalue {i64, i64, i64} poison, i64 %x, 0\n"
        "  %d1 = insertvalue {i64, i64, i64} %d0, i64 %y, 1\n"
        "  %d2 = insertvalue {i64, i64, i64} %d1, i64 7, 2\n"
        "  store {i64, i64, i64} %d2, ptr %second\n"
        "  %r1 = call i32 @tally_rt_parallel_for(ptr %ctx, i64 0, i64 8, i64 "
        "1, ptr @other, ptr %second)\n"
        "  %e0 = insertvalue {{ptr, i64, [2 x i64]}, i64} poison, {ptr, i64, "
        "[2 x i64]} %known, 0\n"
        "  store {{ptr, i64, [2 x i64]}, i64} %e0, ptr %third\n"
        "  %r2 = call i32 @tally_rt_parallel_for(ptr %ctx, i64 0, i64 8, i64 "
        "1, ptr @body, ptr %third)\n"
        "  ret i32 0\n}\n");
  tally::shrinkClosures(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  // The pointer and the stride, each once.
  EXPECT_EQ(find<LoadInst>("body").size(), 2u);
  EXPECT_TRUE(find<ExtractValueInst>("body").empty());
  EXPECT_EQ(find<LoadInst>("other").size(), 3u);
  // Two of each closure for the first body, three for the other; what is not
  // known in parts is taken apart.
  EXPECT_EQ(find<StoreInst>("main").size(), 7u);
  EXPECT_TRUE(find<InsertValueInst>("main").empty());
  EXPECT_EQ(find<ExtractValueInst>("main").size(), 2u);
  SmallVector<StoreInst *> stores = find<StoreInst>("main");
  Function *main = module->getFunction("main");
  EXPECT_EQ(stores[0]->getValueOperand(), main->getArg(1));
  EXPECT_EQ(stores[1]->getValueOperand(), main->getArg(3));
  // One place that is large enough for each.
  SmallVector<AllocaInst *> slots = find<AllocaInst>("main");
  ASSERT_EQ(slots.size(), 1u);
  EXPECT_EQ(cast<StructType>(slots[0]->getAllocatedType())->getNumElements(),
            3u);
  for (CallInst *call : find<CallInst>("main"))
    EXPECT_EQ(call->getArgOperand(5), slots[0]);
}

TEST_F(ClosuresTest, ClosuresFromElsewhereStay) {
  // The caller does not know the closure; and a body hands its own on.
  parse(std::string(kBody) +
        "define i32 @main(ptr %ctx, ptr %data) {\n"
        "  %r = call i32 @tally_rt_parallel_for(ptr %ctx, i64 0, i64 8, i64 1, "
        "ptr @body, ptr %data)\n  ret i32 %r\n}\n"
        "declare i32 @use({i64, i64})\n"
        "define internal i32 @whole(ptr %ctx, i64 %begin, i64 %end, ptr %data) "
        "{\n"
        "  %all = load {i64, i64}, ptr %data\n"
        "  %r = call i32 @use({i64, i64} %all)\n  ret i32 %r\n}\n"
        "define i32 @second(ptr %ctx, {i64, i64} %pair) {\n"
        "  %slot = alloca {i64, i64}\n"
        "  store {i64, i64} %pair, ptr %slot\n"
        "  %r = call i32 @tally_rt_parallel_for(ptr %ctx, i64 0, i64 8, i64 1, "
        "ptr @whole, ptr %slot)\n  ret i32 %r\n}\n");
  tally::shrinkClosures(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  EXPECT_EQ(find<LoadInst>("body").size(), 1u);
  EXPECT_EQ(find<LoadInst>("whole").size(), 1u);
  EXPECT_EQ(find<StoreInst>("second").size(), 1u);
}

TEST_F(ClosuresTest, ChosenBodiesStay) {
  // One of the calls has the body from a choice, as branches that end alike do
  // whose loops differ.
  parse(std::string(kBody) +
        "define internal i32 @other(ptr %ctx, i64 %begin, i64 %end, ptr %data) "
        "{\n"
        "  ret i32 0\n}\n"
        "define i32 @main(ptr %ctx, i1 %c, {{ptr, i64, [2 x i64]}, i64} %all) "
        "{\n"
        "  %first = alloca {{ptr, i64, [2 x i64]}, i64}\n"
        "  %second = alloca {{ptr, i64, [2 x i64]}, i64}\n"
        "  store {{ptr, i64, [2 x i64]}, i64} %all, ptr %first\n"
        "  %r0 = call i32 @tally_rt_parallel_for(ptr %ctx, i64 0, i64 8, i64 "
        "1, ptr @body, ptr %first)\n"
        "  %which = select i1 %c, ptr @body, ptr @other\n"
        "  store {{ptr, i64, [2 x i64]}, i64} %all, ptr %second\n"
        "  %r1 = call i32 @tally_rt_parallel_for(ptr %ctx, i64 0, i64 8, i64 "
        "1, ptr %which, ptr %second)\n"
        "  ret i32 %r1\n}\n");
  tally::shrinkClosures(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  EXPECT_EQ(find<LoadInst>("body").size(), 1u);
  EXPECT_EQ(find<StoreInst>("main").size(), 2u);
}

} // namespace
