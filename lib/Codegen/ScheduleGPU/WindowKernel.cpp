//===- WindowKernel.cpp - A kernel that copies windows --------------------===//

#include "WindowKernel.h"
#include "Emitter.h"

#include <array>

using namespace mlir;
using namespace tally::codegen;

namespace {

/// Which of the arguments is which; as in tally_runtime.h. Those of spatial
/// dimensions are three each.
enum Argument {
  kImage,
  kTarget,
  kRows,
  kIn,
  kWindow = kIn + 3,
  kOut1 = kWindow + 3,
  kOut2,
  kStride,
  kDilation = kStride + 3,
  kFirst = kDilation + 3,
  kCount,
  kArgumentCount
};

/// Writes the kernel.
class WindowKernel : Emitter {
public:
  WindowKernel(OpBuilder &builder, gpu::GPUFuncOp kernel)
      : Emitter(builder, kernel.getLoc()), kernel(kernel) {}

  /// Lines of the target, each by a block; a grid that is too small goes
  /// round.
  void createBody() {
    Value taps = get(kWindow);
    for (int i : {1, 2})
      taps = create<arith::MulIOp>(taps, get(kWindow + i));
    Value image =
        createView(kImage, {get(kRows), get(kIn), get(kIn + 1), get(kIn + 2)});
    Value target = createView(kTarget, {get(kRows), taps, get(kCount)});
    auto x = gpu::Dimension::x;
    Value block = gpu::BlockIdOp::create(builder, loc, x);
    Value blocks = gpu::GridDimOp::create(builder, loc, x);
    Value lines = create<arith::MulIOp>(get(kRows), taps);
    auto loop = scf::ForOp::create(builder, loc, block, lines, blocks);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    auto [row, tap] = divide(loop.getInductionVar(), taps);
    std::array<Value, 3> inside =
        split(tap, get(kWindow + 1), get(kWindow + 2));
    Value thread = gpu::ThreadIdOp::create(builder, loc, x);
    Value threads = gpu::BlockDimOp::create(builder, loc, x);
    auto line = scf::ForOp::create(builder, loc, thread, get(kCount), threads);
    builder.setInsertionPointToStart(line.getBody());
    Value column = line.getInductionVar();
    std::array<Value, 3> position = split(
        create<arith::AddIOp>(get(kFirst), column), get(kOut1), get(kOut2));
    SmallVector<Value> source{row};
    for (int i = 0; i < 3; ++i)
      source.push_back(create<arith::AddIOp>(
          create<arith::MulIOp>(position[i], get(kStride + i)),
          create<arith::MulIOp>(inside[i], get(kDilation + i))));
    store(load(image, source), target, {row, tap, column});
  }

private:
  Value get(int argument) { return kernel.getArgument(argument); }

  /// A tensor without gaps.
  Value createView(Argument pointer, ArrayRef<Value> sizes) {
    SmallVector<OpFoldResult> strides(sizes.size());
    Value stride = index(1);
    for (size_t dim = sizes.size(); dim-- > 0;) {
      strides[dim] = stride;
      stride = create<arith::MulIOp>(stride, sizes[dim]);
    }
    strides.back() = builder.getIndexAttr(1);
    return memref::ReinterpretCastOp::create(builder, loc, get(pointer),
                                             builder.getIndexAttr(0),
                                             getAsOpFoldResult(sizes), strides);
  }

  /// Quotient and remainder. Where a divisor is 0, nothing runs; says so to who
  /// checks divisions.
  std::pair<Value, Value> divide(Value value, Value by) {
    by = create<arith::MaxSIOp>(by, index(1));
    return {create<arith::DivUIOp>(value, by),
            create<arith::RemUIOp>(value, by)};
  }

  /// Three indices of a number that counts in row-major order.
  std::array<Value, 3> split(Value value, Value size1, Value size2) {
    auto [rest, last] = divide(value, size2);
    auto [first, middle] = divide(rest, size1);
    return {first, middle, last};
  }

  gpu::GPUFuncOp kernel;
};

} // namespace

gpu::GPUFuncOp tally::codegen::getWindowKernel(gpu::GPUModuleOp kernels,
                                               Location loc, Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << "windows_" << type;
  if (auto known = kernels.lookupSymbol<gpu::GPUFuncOp>(name))
    return known;
  OpBuilder builder = OpBuilder::atBlockEnd(kernels.getBody());
  SmallVector<Type> types(2, MemRefType::get({1}, type));
  types.resize(kArgumentCount, builder.getIndexType());
  auto kernel = gpu::GPUFuncOp::create(builder, loc, name,
                                       builder.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  WindowKernel(builder, kernel).createBody();
  gpu::ReturnOp::create(builder, loc);
  return kernel;
}
