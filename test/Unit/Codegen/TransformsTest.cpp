//===- TransformsTest.cpp - Passes of Codegen as functions ----------------===//
//
// A compiler that embeds Tally calls what the passes do, without a pass
// manager.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Common/Transforms.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tally/Codegen/Entries/Transforms.h"
#include "tally/Codegen/Kernels/BufferizableOps.h"
#include "tally/Codegen/Kernels/Transforms.h"
#include "tally/Codegen/NVVM/Transforms.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"
#include "tally/IR/Tally.h"
#include "tally/InitAll.h"
#include "tally/Pipelines/Transforms.h"
#include "tally/Transforms/Transforms.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {
class TransformsTest : public testing::Test {
protected:
  TransformsTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    tally::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  template <typename OpT>
  static int64_t count(Operation *root) {
    int64_t number = 0;
    root->walk([&](OpT) { ++number; });
    return number;
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  MLIRContext context;
};

constexpr const char *kTwoOps = R"mlir(
#map = affine_map<(i) -> (i)>
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %xy = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %n = tensor.dim %xy, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%xy : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %b = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = math.exp %in : f32
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %b : tensor<?xf32>
})mlir";

TEST_F(TransformsTest, TensorsToKernels) {
  auto module = parse(kTwoOps);
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  ASSERT_TRUE(succeeded(tally::decomposeTensorOps(function)));
  EXPECT_EQ(count<tensor::ConcatOp>(function), 0);
  tally::fuseElementwise(function,
                         tally::createElementwiseFusionPatterns(&context));
  EXPECT_EQ(count<linalg::GenericOp>(function), 1);
  ASSERT_TRUE(succeeded(tally::formKernels(function)));
  EXPECT_EQ(count<tally::KernelOp>(function), 1);
  ASSERT_TRUE(succeeded(tally::bufferizeKernels(*module)));
  ASSERT_TRUE(succeeded(
      tally::scheduleKernelsOnCPU(*module->getOps<func::FuncOp>().begin())));
  EXPECT_EQ(count<tally::KernelOp>(*module), 0);
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
}

TEST_F(TransformsTest, MemoryOfTheCall) {
  auto module = parse(R"mlir(
func.func @main(%n: index, %ok: i1) {
  tally.assert %ok message("stated")
  %m = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %m : memref<?xf32>
  return
})mlir");
  ASSERT_TRUE(module);
  // Without a context there is nobody to ask for memory.
  ScopedDiagnosticHandler handler(&context,
                                  [](Diagnostic &) { return success(); });
  EXPECT_TRUE(failed(tally::lowerMemory(*module)));
  tally::addCallContexts(*module);
  ASSERT_TRUE(succeeded(tally::lowerMemory(*module)));
  EXPECT_EQ(count<memref::AllocOp>(*module), 0);
  ASSERT_TRUE(succeeded(tally::lowerAsserts(*module)));
  EXPECT_EQ(count<tally::AssertOp>(*module), 0);
}

TEST_F(TransformsTest, PatternsOfTheirOwn) {
  auto module = parse(R"mlir(
func.func @main(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
})mlir");
  RewritePatternSet patterns(&context);
  tally::populateExpandMathPatterns(patterns);
  ASSERT_TRUE(succeeded(applyPatternsGreedily(*module, std::move(patterns))));
  EXPECT_EQ(count<math::ExpOp>(*module), 0);
}

// A compiler that has registered the dialects alone is told what is missing.
TEST(BufferizeTest, TellsWhatIsNotRegistered) {
  MLIRContext bare;
  bare.loadDialect<bufferization::BufferizationDialect, func::FuncDialect,
                   tensor::TensorDialect>();
  std::vector<std::string> messages;
  ScopedDiagnosticHandler handler(&bare, [&](Diagnostic &diagnostic) {
    messages.push_back(diagnostic.str());
  });
  auto module = parseSourceString<ModuleOp>(R"mlir(
func.func @main(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
)mlir",
                                            &bare);
  ASSERT_TRUE(module);
  EXPECT_TRUE(failed(tally::verifyIsBufferizable(
      *module, bufferization::BufferizationOptions())));
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages[0],
            "'tensor.expand_shape' op is on tensors, and how MLIR bufferizes "
            "it is not registered: have mlir::registerAllDialects do it");
}

TEST_F(TransformsTest, PassesOfPipelines) {
  auto module = parse(R"(
    func.func @twice(%x: tensor<?xf32>, %p: i1) -> (tensor<?xf32>, index) {
      %c0 = arith.constant 0 : index
      %a = tensor.dim %x, %c0 : tensor<?xf32>
      %b = tensor.dim %x, %c0 : tensor<?xf32>
      %c = scf.if %p -> index {
        scf.yield %a : index
      } else {
        scf.yield %b : index
      }
      return %x, %c : tensor<?xf32>, index
    })");
  auto function = *module->getOps<func::FuncOp>().begin();
  std::string shapes;
  llvm::raw_string_ostream os(shapes);
  tally::printShapes(function, os);
  EXPECT_NE(shapes.find("@twice"), std::string::npos);
  DominanceInfo dominance(*module);
  EXPECT_TRUE(tally::eliminateCommonSubexpressions(*module, dominance));
  EXPECT_EQ(count<tensor::DimOp>(*module), 1);
  EXPECT_FALSE(tally::eliminateCommonSubexpressions(*module, dominance));
  tally::splitBlocks(function);
  EXPECT_EQ(function.getBody().getBlocks().size(), 2u);
  EXPECT_TRUE(succeeded(tally::bufferizeModule(*module)));
  EXPECT_TRUE(succeeded(verify(*module)));
}

/// Those that the tests above do not call can be called as well.
TEST_F(TransformsTest, EveryPassIsAFunction) {
  const void *functions[] = {
      (void *)tally::outlineParallelLoops,
      (void *)tally::hardenArith,
      (void *)tally::eraseAnnotations,
      (void *)tally::lowerDeallocations,
      (void *)tally::expandFloats,
      (void *)tally::lowerBFloats,
      (void *)tally::foldUnitDims,
      (void *)tally::flattenConstants,
      (void *)tally::expandMemRefOps,
      (void *)tally::markParallelAccesses,
      (void *)tally::expandMath,
      (void *)tally::keepInits,
      (void *)tally::overwriteOperands,
      (void *)tally::reassociateReductions,
      (void *)tally::orderLoops,
      (void *)tally::describeEntries,
      (void *)tally::stripAttributes,
      (void *)tally::emitEntries,
      (void *)tally::placeOnDevice,
      (void *)tally::planArena,
      (void *)tally::convertKernels,
      (void *)tally::lowerDeviceAsserts,
      (void *)tally::lowerReductions,
      (void *)tally::attachTarget,
      (void *)tally::serializeKernels,
      (void *)tally::convertCustomCalls,
      (void *)tally::lowerLaunches,
      (void *)tally::lowerCustomCalls,
      (void *)tally::lowerHostMatmuls,
      (void *)tally::recognizeContractions,
      (void *)tally::recognizeMatmuls,
      (void *)tally::lowerMatmuls,
      (void *)tally::scheduleCompaction,
      (void *)tally::addMatmulFallbacks,
      (void *)tally::scheduleKernelsOnGPU,
      (void *)tally::scheduleLoopsOnGPU,
      (void *)tally::lowerScans,
      (void *)tally::scheduleScans,
      (void *)tally::lowerNonzeroForGPU,
      (void *)tally::printShapes,
      (void *)tally::mergeEqualResults,
      (void *)tally::separateEmptyTensors,
      (void *)tally::eliminateEmptyTensors,
      (void *)tally::bufferizeModule,
      (void *)tally::copyStridedCasts,
      (void *)tally::forwardCarried,
      (void *)tally::splitBlocks,
      (void *)tally::eliminateCommonSubexpressions,
      (void *)tally::populateDegenerateSlicePatterns,
      (void *)tally::populateLowerMemoryPatterns,
      (void *)tally::populateConvertKernelsPatterns,
  };
  for (const void *function : functions)
    EXPECT_NE(function, nullptr);
}
} // namespace
