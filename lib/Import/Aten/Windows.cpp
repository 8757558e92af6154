//===- Windows.cpp - Windows that move over a tensor ----------------------===//
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

using namespace mlir;

namespace tally::import_pt2 {

SmallVector<int64_t> getSpatial(Lowering &op, StringRef name, int64_t count,
                                int64_t absent) {
  SmallVector<int64_t> values = op.integers(name);
  if (values.empty())
    values.push_back(absent);
  if (values.size() == 1)
    values.resize(size_t(count), values[0]);
  if (int64_t(values.size()) != count) {
    (void)op.error("the argument '" + name + "' has another length");
    values.assign(size_t(count), absent);
  }
  // Where nothing stands for 0, it may be 0.
  for (int64_t &value : values) {
    if (value >= std::min<int64_t>(absent, 1) && value <= INT32_MAX)
      continue;
    (void)op.error("the argument '" + name + "' is out of range");
    value = absent;
  }
  return values;
}

Expr countWindows(Lowering &op, Expr size, Expr window, int64_t stride,
                  int64_t dilation) {
  Expr reach =
      op.exprs.mul(op.literal(dilation), op.exprs.sub(window, op.literal(1)));
  Expr rest = op.exprs.sub(op.exprs.sub(size, reach), op.literal(1));
  op.check(Comparison::le(op.exprs.add(reach, op.literal(1)), size),
           Twine(op.target) + ": the window is larger than the input");
  return op.state.simplify(
      op.exprs.add(op.exprs.floorDiv(rest, op.literal(stride)), op.literal(1)));
}

Tensor padSpatial(Lowering &op, const Tensor &in, ArrayRef<int64_t> padding,
                  Value value, ArrayRef<int64_t> more) {
  auto isZero = [](int64_t pad) { return pad == 0; };
  if (llvm::all_of(padding, isZero) && llvm::all_of(more, isZero))
    return in;
  Sizes low(in.rank(), op.literal(0)), high = low;
  int64_t first = in.rank() - int64_t(padding.size());
  for (auto [i, pad] : llvm::enumerate(padding)) {
    low[first + int64_t(i)] = op.literal(pad);
    high[first + int64_t(i)] = op.literal(pad + (more.empty() ? 0 : more[i]));
  }
  return buildPad(op, in, low, high, value);
}

void checkNotEmpty(Lowering &op, ArrayRef<Expr> sizes,
                   ArrayRef<Expr> exceptions) {
  Expr zero = op.literal(0);
  for (Expr size : sizes) {
    SmallVector<Expr> cases{op.exprs.gt(size, zero)};
    for (Expr exception : exceptions)
      cases.push_back(op.exprs.eq(exception, zero));
    op.check(op.exprs.logicalOr(cases),
             Twine(op.target) + ": the input is empty");
  }
}

Windows getWindows(Lowering &op, int64_t spatial) {
  Windows windows;
  windows.stride = getSpatial(op, "stride", spatial, 1);
  windows.dilation = getSpatial(op, "dilation", spatial, 1);
  const Argument *padding = op.find("padding");
  if (padding && padding->kind == Argument::Kind::String) {
    windows.keepsSize = padding->text == "same";
    if (padding->text != "valid" && !windows.keepsSize)
      (void)op.error("the padding '" + padding->text + "' is not supported");
    windows.padding.assign(size_t(spatial), 0);
  } else {
    windows.padding = getSpatial(op, "padding", spatial, 0);
  }
  return windows;
}

//===----------------------------------------------------------------------===//
// Windows as columns
//===----------------------------------------------------------------------===//

/// The elements of each window as a column.
static void lowerIm2Col(Lowering &op) {
  Tensor self = op.tensor("self");
  Tensor in = self.rank() == 3 ? op.unsqueeze(self, 0) : self;
  if (in.rank() != 4) {
    (void)op.error("three or four dimensions are needed");
    return;
  }
  SmallVector<int64_t> kernel = getSpatial(op, "kernel_size", 2, 1);
  Windows windows = getWindows(op, 2);
  checkNotEmpty(op, ArrayRef(in.sizes).drop_front(1));
  Tensor padded = padSpatial(op, in, windows.padding,
                             Scalars(op.b, op.loc, in.dtype).integer(0));
  Sizes sizes{in.sizes[0], in.sizes[1], op.literal(kernel[0]),
              op.literal(kernel[1])};
  for (int64_t i = 0; i < 2; ++i)
    sizes.push_back(countWindows(op, padded.sizes[2 + i], op.literal(kernel[i]),
                                 windows.stride[i], windows.dilation[i]));
  Tensor columns = op.generate(
      sizes, in.dtype, [&](Scalars &s, ValueRange indices) -> Value {
        SmallVector<Value> at{indices[0], indices[1]};
        auto times = [&](Value index, int64_t by) -> Value {
          Value factor = arith::ConstantIndexOp::create(s.b, s.loc, by);
          return arith::MulIOp::create(s.b, s.loc, index, factor);
        };
        for (int64_t i = 0; i < 2; ++i)
          at.push_back(arith::AddIOp::create(
              s.b, s.loc, times(indices[2 + i], windows.dilation[i]),
              times(indices[4 + i], windows.stride[i])));
        return tensor::ExtractOp::create(s.b, s.loc, padded.value, at);
      });
  Tensor merged =
      op.reshape(columns, {sizes[0], op.product({sizes[1], sizes[2], sizes[3]}),
                           op.exprs.mul(sizes[4], sizes[5])});
  op.result(self.rank() == 3 ? op.squeeze(merged, {0}) : merged);
}

/// Which element of a window, if any, is at a place: the place in front of the
/// padding is that of a window times the stride, and of an element in it times
/// the dilation.
static std::pair<Value, Value> findWindow(const Scalars &s, Value place,
                                          Value element, Value count,
                                          const Windows &windows, int64_t dim) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(s.b, s.loc, value);
  };
  Value stride = constant(windows.stride[dim]);
  Value reach = arith::MulIOp::create(s.b, s.loc, element,
                                      constant(windows.dilation[dim]));
  Value padded =
      arith::AddIOp::create(s.b, s.loc, place, constant(windows.padding[dim]));
  Value start = arith::SubIOp::create(s.b, s.loc, padded, reach);
  Value window = arith::DivSIOp::create(s.b, s.loc, start, stride);
  auto holds = [&](arith::CmpIPredicate kind, Value x, Value y) -> Value {
    return arith::CmpIOp::create(s.b, s.loc, kind, x, y);
  };
  Value isStart = holds(arith::CmpIPredicate::eq, start,
                        arith::MulIOp::create(s.b, s.loc, window, stride));
  Value zero = constant(0);
  Value isThere = arith::AndIOp::create(
      s.b, s.loc, holds(arith::CmpIPredicate::sge, start, zero),
      holds(arith::CmpIPredicate::slt, window, count));
  Value last = arith::SubIOp::create(s.b, s.loc, count, constant(1));
  window = arith::MinSIOp::create(s.b, s.loc, window, last);
  return {arith::MaxSIOp::create(s.b, s.loc, window, zero),
          arith::AndIOp::create(s.b, s.loc, isStart, isThere)};
}

/// The columns [n, channels, kernel..., windows...] of an image, checked.
static std::optional<Tensor> splitColumns(Lowering &op, const Tensor &in,
                                          ArrayRef<Expr> image,
                                          const Windows &windows) {
  SmallVector<int64_t> kernel = getSpatial(op, "kernel_size", 2, 1);
  if (in.rank() != 3 || image.size() != 2) {
    (void)op.error("the columns or the size of the image do not fit");
    return std::nullopt;
  }
  checkNotEmpty(op, ArrayRef(in.sizes).drop_front(1));
  Expr area = op.literal(kernel[0] * kernel[1]);
  op.checkEqual(op.exprs.mod(in.sizes[1], area), op.literal(0),
                Twine(op.target) + ": the channels do not fit the window");
  Sizes sizes{in.sizes[0],
              op.state.simplify(op.exprs.floorDiv(in.sizes[1], area)),
              op.literal(kernel[0]), op.literal(kernel[1])};
  for (int64_t i = 0; i < 2; ++i)
    sizes.push_back(countWindows(
        op, op.exprs.add(image[i], op.literal(2 * windows.padding[i])),
        op.literal(kernel[i]), windows.stride[i], windows.dilation[i]));
  op.checkEqual(in.sizes[2], op.exprs.mul(sizes[4], sizes[5]),
                Twine(op.target) + ": the number of windows does not fit");
  return op.reshape(in, sizes);
}

/// The image whose windows the columns are; where windows overlap, they are
/// added up.
static void lowerCol2Im(Lowering &op) {
  Tensor self = op.tensor("self");
  Tensor in = self.rank() == 2 ? op.unsqueeze(self, 0) : self;
  Sizes image = op.symInts("output_size");
  Windows windows = getWindows(op, 2);
  std::optional<Tensor> columns = splitColumns(op, in, image, windows);
  if (!columns)
    return;
  Value counts[] = {op.size(columns->sizes[4]), op.size(columns->sizes[5])};
  Sizes sizes{columns->sizes[0], columns->sizes[1], image[0],
              image[1],          columns->sizes[2], columns->sizes[3]};
  Dtype dtype = getComputeDtype(in.dtype);
  Tensor parts =
      op.generate(sizes, dtype, [&](Scalars &s, ValueRange indices) -> Value {
        SmallVector<Value> at{indices[0], indices[1], indices[4], indices[5]};
        Value isThere;
        for (int64_t i = 0; i < 2; ++i) {
          auto [window, found] = findWindow(s, indices[2 + i], indices[4 + i],
                                            counts[i], windows, i);
          at.push_back(window);
          isThere = i == 0 ? found
                           : arith::AndIOp::create(s.b, s.loc, isThere, found)
                                 .getResult();
        }
        Value x = tensor::ExtractOp::create(s.b, s.loc, columns->value, at);
        x = Scalars(s.b, s.loc, in.dtype).castTo(s.dtype, x);
        return s.select(isThere, x, s.integer(0));
      });
  Tensor result = op.sum(parts, {4, 5}, dtype);
  op.result(self.rank() == 2 ? op.squeeze(result, {0}) : result);
}

void addWindows(LoweringTable &table) {
  table.add("aten.col2im.default", lowerCol2Im);
  table.add("aten.im2col.default", lowerIm2Col);
}

} // namespace tally::import_pt2
