//===- RuntimeABITest.cpp - The C interface of the runtime in IR ----------===//

#include "Codegen/Common/RuntimeStructs.h"

#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tally::codegen;
namespace runtime_functions = tally::runtime_functions;

namespace {

/// Whether a call of the function with so many values compiles.
template <typename Function, typename Arguments, typename = void>
struct IsCallable : std::false_type {};
template <typename Function, typename... Arguments>
struct IsCallable<Function, void(Arguments...),
                  std::void_t<decltype(createRuntimeCall(
                      std::declval<OpBuilder &>(), std::declval<Location>(),
                      std::declval<Function>(), std::declval<Arguments>()...))>>
    : std::true_type {};

using Free = std::remove_const_t<decltype(runtime_functions::kFree)>;
static_assert(IsCallable<Free, void(Value, Value)>::value);
static_assert(!IsCallable<Free, void(Value)>::value);
static_assert(!IsCallable<Free, void(Value, Value, Value)>::value);

class RuntimeABITest : public testing::Test {
protected:
  RuntimeABITest() {
    context.loadDialect<func::FuncDialect, LLVM::LLVMDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
  }

  std::string print(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_F(RuntimeABITest, DeclaresFunctionsOfTheHeader) {
  auto declare = [&](auto function) {
    return print(declareRuntimeFunction(*module, function).getFunctionType());
  };
  EXPECT_EQ(declare(runtime_functions::kAlloc),
            "(!llvm.ptr, i64, i64) -> !llvm.ptr");
  EXPECT_EQ(declare(runtime_functions::kFree), "(!llvm.ptr, !llvm.ptr) -> ()");
  EXPECT_EQ(declare(runtime_functions::kFail),
            "(!llvm.ptr, !llvm.ptr, i32, i32, !llvm.ptr) -> i32");
  EXPECT_EQ(declare(runtime_functions::kProcessorLevel), "() -> i32");
  // A second declaration is the first one.
  declare(runtime_functions::kAlloc);
  EXPECT_EQ(llvm::range_size(module->getOps<func::FuncOp>()), 4);
}

TEST_F(RuntimeABITest, TypesOfFunctionsAndPointers) {
  EXPECT_EQ(print(getLLVMFunctionType<decltype(tally_rt_invoke)>(&context)),
            "!llvm.func<i32 (ptr, ptr, ptr, ptr, i32, ptr, i32)>");
  EXPECT_EQ(print(getLLVMFunctionType<tally_rt_thunk>(&context)),
            "!llvm.func<i32 (ptr, ptr, ptr)>");
  EXPECT_EQ(print(getFunctionType<tally_rt_body>(&context)),
            "(!llvm.ptr, i64, i64, !llvm.ptr) -> i32");
}

TEST_F(RuntimeABITest, StructsOfTheHeader) {
  EXPECT_EQ(print(getStructType<tally_rt_value>(&context)),
            "!llvm.struct<(ptr, struct<(i8, i8, i16)>, i32, i32, i32, ptr, "
            "ptr, ptr)>");
  EXPECT_EQ(print(getStructType<tally_rt_library>(&context)),
            "!llvm.struct<(i32, i32, ptr, i32, i32, ptr)>");
  // Each element of an array is a field.
  EXPECT_EQ(getStructType<tally_rt_host_matmul_args>(&context).getBody().size(),
            sizeof(tally_rt_host_matmul_args) / sizeof(int64_t));
  EXPECT_EQ(getFieldIndex<tally_rt_host_matmul_args>(
                offsetof(tally_rt_host_matmul_args, batch_rank)),
            12);
}

// A call with values of other types is not one that the verifier lets pass.
TEST_F(RuntimeABITest, VerifierReportsOtherTypes) {
  declareRuntimeFunction(*module, runtime_functions::kFree);
  auto builder = OpBuilder::atBlockEnd(module->getBody());
  Location loc = module->getLoc();
  Type i64 = builder.getI64Type();
  auto function =
      func::FuncOp::create(builder, loc, "f", builder.getFunctionType(i64, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  Value number = function.getArgument(0);
  createRuntimeCall(builder, loc, runtime_functions::kFree, number, number);
  func::ReturnOp::create(builder, loc);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(verify(*module)));
  EXPECT_NE(message.find("operand type mismatch"), std::string::npos);
}
