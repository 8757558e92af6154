//===- WindowKernel.cpp - Convolutions without a library ------------------===//

#include "WindowKernel.h"
#include "Emitter.h"

#include <array>

using namespace mlir;
using namespace tally::codegen;

namespace {

/// What kernels of convolutions have in common. Arguments of spatial dimensions
/// are three each.
class ConvolutionKernel : protected Emitter {
protected:
  ConvolutionKernel(OpBuilder &builder, gpu::GPUFuncOp kernel)
      : Emitter(builder, kernel.getLoc()), kernel(kernel) {}

  Value get(int argument) { return kernel.getArgument(argument); }

  SmallVector<Value> getAll(int first, int count) {
    return SmallVector<Value>(kernel.getArguments().slice(first, count));
  }

  Value multiply(ValueRange values) {
    Value product = index(1);
    for (Value value : values)
      product = create<arith::MulIOp>(product, value);
    return product;
  }

  /// A tensor without gaps.
  Value createView(int pointer, ArrayRef<Value> sizes) {
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

  /// What a window reads: an element of the image, or of what is around it. The
  /// arguments are the first ones of three.
  Value loadPadded(Value image, ArrayRef<Value> lead,
                   const std::array<Value, 3> &position,
                   const std::array<Value, 3> &inside, int in, int stride,
                   int dilation, int padding) {
    SmallVector<Value> source(lead);
    Value isInside;
    for (int i = 0; i < 3; ++i) {
      Value reached = create<arith::AddIOp>(
          create<arith::MulIOp>(position[i], get(stride + i)),
          create<arith::MulIOp>(inside[i], get(dilation + i)));
      source.push_back(create<arith::SubIOp>(reached, get(padding + i)));
      // What is before the first element is a large number without a sign.
      Value fits =
          compare(arith::CmpIPredicate::ult, source.back(), get(in + i));
      isInside = isInside ? create<arith::AndIOp>(isInside, fits) : fits;
    }
    Type type = ::cast<MemRefType>(image.getType()).getElementType();
    auto read = [&] { return SmallVector<Value>{load(image, source)}; };
    return ifElseZero(isInside, type, read).front();
  }

  gpu::GPUFuncOp kernel;
};

/// Writes the kernel that copies windows.
class WindowKernel : ConvolutionKernel {
public:
  /// Which of the arguments is which; as in tally_runtime.h.
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
    kPadding = kDilation + 3,
    kFirst = kPadding + 3,
    kCount,
    kArgumentCount
  };
  static constexpr int kPointerCount = kRows;

  WindowKernel(OpBuilder &builder, gpu::GPUFuncOp kernel)
      : ConvolutionKernel(builder, kernel) {}

  /// Lines of the target, each by a block; a grid that is too small goes
  /// round.
  void createBody() {
    Value taps = multiply(getAll(kWindow, 3));
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
    Value element = loadPadded(image, row, position, inside, kIn, kStride,
                               kDilation, kPadding);
    store(element, target, {row, tap, column});
  }
};

/// What kernels of gradients have in common: an element for each thread.
class GradientKernel : protected ConvolutionKernel {
public:
  /// Which of the arguments is which; as in tally_runtime.h.
  enum Argument {
    kImage,
    kResult,
    kWeight,
    kBatch,
    kGroups,
    kInChannels,
    kOutChannels,
    kIn,
    kWindow = kIn + 3,
    kOut = kWindow + 3,
    kStride = kOut + 3,
    kDilation = kStride + 3,
    kPadding = kDilation + 3,
    kArgumentCount = kPadding + 3
  };
  static constexpr int kPointerCount = kBatch;

protected:
  using ConvolutionKernel::ConvolutionKernel;

  Value createImage() {
    SmallVector<Value> sizes{get(kBatch), get(kGroups), get(kInChannels)};
    sizes.append(getAll(kIn, 3));
    return createView(kImage, sizes);
  }

  Value createResult() {
    SmallVector<Value> sizes{get(kBatch), get(kGroups), get(kOutChannels)};
    sizes.append(getAll(kOut, 3));
    return createView(kResult, sizes);
  }

  /// Computes elements, each by one thread; a grid that is too small goes
  /// round.
  void forElements(int pointer, Value count,
                   function_ref<Value(Value element)> compute) {
    Value target = createView(pointer, {count});
    auto x = gpu::Dimension::x;
    Value threads = gpu::BlockDimOp::create(builder, loc, x);
    Value first = create<arith::AddIOp>(
        create<arith::MulIOp>(gpu::BlockIdOp::create(builder, loc, x), threads),
        gpu::ThreadIdOp::create(builder, loc, x));
    Value step =
        create<arith::MulIOp>(gpu::GridDimOp::create(builder, loc, x), threads);
    auto loop = scf::ForOp::create(builder, loc, first, count, step);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value sum = compute(loop.getInductionVar());
    Type type = ::cast<MemRefType>(target.getType()).getElementType();
    if (type != sum.getType())
      sum = arith::TruncFOp::create(builder, loc, type, sum);
    store(sum, target, loop.getInductionVar());
  }

  Type getSumType() {
    Type type = ::cast<MemRefType>(get(kImage).getType()).getElementType();
    return type.isF64() ? type : builder.getF32Type();
  }

  Value extend(Value element) {
    if (element.getType() == getSumType())
      return element;
    return arith::ExtFOp::create(builder, loc, getSumType(), element);
  }

  Value sumUp(Value count, function_ref<Value(Value)> get) {
    Value zero = arith::ConstantOp::create(builder, loc,
                                           builder.getZeroAttr(getSumType()));
    auto loop =
        scf::ForOp::create(builder, loc, index(0), count, index(1), zero);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value next = create<arith::AddFOp>(loop.getRegionIterArg(0),
                                       get(loop.getInductionVar()));
    scf::YieldOp::create(builder, loc, next);
    return loop.getResult(0);
  }
};

/// Writes the kernel that sums up the gradient of a weight.
class WeightGradientKernel : GradientKernel {
public:
  using GradientKernel::kArgumentCount;
  using GradientKernel::kPointerCount;

  WeightGradientKernel(OpBuilder &builder, gpu::GPUFuncOp kernel)
      : GradientKernel(builder, kernel) {}

  void createBody() {
    Value image = createImage(), result = createResult();
    Value taps = multiply(getAll(kWindow, 3));
    Value elements =
        multiply({get(kGroups), get(kOutChannels), get(kInChannels), taps});
    forElements(kWeight, elements, [&](Value element) {
      return createSum(image, result, element, taps);
    });
  }

private:
  /// The sum over all lines of results of the sum over a line each, so that
  /// what is rounded off grows with neither number alone.
  Value createSum(Value image, Value result, Value element, Value taps) {
    auto [row, tap] = divide(element, taps);
    std::array<Value, 3> inside =
        split(tap, get(kWindow + 1), get(kWindow + 2));
    auto [channels, inChannel] = divide(row, get(kInChannels));
    auto [group, outChannel] = divide(channels, get(kOutChannels));
    Value in = inChannel, out = outChannel, of = group;
    return sumUp(get(kBatch), [&](Value n) {
      return sumUp(get(kOut), [&](Value i) {
        return sumUp(get(kOut + 1), [&](Value j) {
          return sumUp(get(kOut + 2), [&](Value k) {
            Value read = loadPadded(image, {n, of, in}, {i, j, k}, inside, kIn,
                                    kStride, kDilation, kPadding);
            Value given = load(result, {n, of, out, i, j, k});
            return create<arith::MulFOp>(extend(read), extend(given));
          });
        });
      });
    });
  }
};

/// Writes the kernel that sums up the gradient of an image.
class ImageGradientKernel : GradientKernel {
public:
  using GradientKernel::kArgumentCount;
  using GradientKernel::kPointerCount;

  ImageGradientKernel(OpBuilder &builder, gpu::GPUFuncOp kernel)
      : GradientKernel(builder, kernel) {}

  void createBody() {
    Value result = createResult();
    SmallVector<Value> sizes{get(kGroups), get(kOutChannels), get(kInChannels)};
    sizes.append(getAll(kWindow, 3));
    Value weight = createView(kWeight, sizes);
    Value inside = multiply(getAll(kIn, 3));
    Value elements =
        multiply({get(kBatch), get(kGroups), get(kInChannels), inside});
    forElements(kImage, elements, [&](Value element) {
      return createSum(result, weight, element, inside);
    });
  }

private:
  Value createSum(Value result, Value weight, Value element, Value inside) {
    auto [row, place] = divide(element, inside);
    std::array<Value, 3> at = split(place, get(kIn + 1), get(kIn + 2));
    auto [groups, inChannel] = divide(row, get(kInChannels));
    auto [batch, group] = divide(groups, get(kGroups));
    Value in = inChannel, n = batch, of = group;
    return sumUp(get(kOutChannels), [&](Value out) {
      return sumUp(get(kWindow), [&](Value i) {
        return sumUp(get(kWindow + 1), [&](Value j) {
          return sumUp(get(kWindow + 2), [&](Value k) {
            return createProduct(result, weight, {n, of, out, in}, at,
                                 {i, j, k});
          });
        });
      });
    });
  }

  /// What the element of a window gives to an element of the image, if one of
  /// the windows has it there.
  Value createProduct(Value result, Value weight, ArrayRef<Value> channels,
                      const std::array<Value, 3> &at,
                      const std::array<Value, 3> &tap) {
    Value n = channels[0], group = channels[1], out = channels[2],
          in = channels[3];
    SmallVector<Value> source{n, group, out}, from{group, out, in};
    Value isWindow;
    auto require = [&](Value fits) {
      isWindow = isWindow ? create<arith::AndIOp>(isWindow, fits) : fits;
    };
    for (int i = 0; i < 3; ++i) {
      Value moved = create<arith::SubIOp>(
          create<arith::AddIOp>(at[i], get(kPadding + i)),
          create<arith::MulIOp>(tap[i], get(kDilation + i)));
      // What is before the first window is a large number without a sign.
      auto [window, rest] = divide(moved, get(kStride + i));
      require(compare(arith::CmpIPredicate::eq, rest, index(0)));
      require(compare(arith::CmpIPredicate::sge, moved, index(0)));
      require(compare(arith::CmpIPredicate::ult, window, get(kOut + i)));
      source.push_back(window);
      from.push_back(tap[i]);
    }
    auto multiply = [&] {
      return SmallVector<Value>{create<arith::MulFOp>(
          extend(load(result, source)), extend(load(weight, from)))};
    };
    return ifElseZero(isWindow, getSumType(), multiply).front();
  }
};

} // namespace

/// A kernel is made once for each type of elements.
template <typename Body>
static gpu::GPUFuncOp getKernel(gpu::GPUModuleOp kernels, Location loc,
                                StringRef prefix, Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << prefix << type;
  if (auto known = kernels.lookupSymbol<gpu::GPUFuncOp>(name))
    return known;
  OpBuilder builder = OpBuilder::atBlockEnd(kernels.getBody());
  SmallVector<Type> types(Body::kPointerCount, MemRefType::get({1}, type));
  types.resize(Body::kArgumentCount, builder.getIndexType());
  auto kernel = gpu::GPUFuncOp::create(builder, loc, name,
                                       builder.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  Body(builder, kernel).createBody();
  gpu::ReturnOp::create(builder, loc);
  return kernel;
}

gpu::GPUFuncOp tally::codegen::getWindowKernel(gpu::GPUModuleOp kernels,
                                               Location loc, Type type) {
  return getKernel<WindowKernel>(kernels, loc, "windows_", type);
}

gpu::GPUFuncOp tally::codegen::getWeightGradientKernel(gpu::GPUModuleOp kernels,
                                                       Location loc,
                                                       Type type) {
  return getKernel<WeightGradientKernel>(kernels, loc, "weight_gradient_",
                                         type);
}

gpu::GPUFuncOp tally::codegen::getImageGradientKernel(gpu::GPUModuleOp kernels,
                                                      Location loc, Type type) {
  return getKernel<ImageGradientKernel>(kernels, loc, "image_gradient_", type);
}
