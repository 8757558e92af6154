//===- Shapes.cpp - Diagonals, grids, and other arrangements --------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Diagonals
//===----------------------------------------------------------------------===//

namespace {
/// The diagonal of two dimensions of a tensor: element i of it is in row
/// i + rowShift and in column i + columnShift.
struct Diagonal {
  int64_t row, column, rowShift, columnShift;

  static Diagonal get(int64_t row, int64_t column, int64_t offset) {
    return {row, column, std::max<int64_t>(-offset, 0),
            std::max<int64_t>(offset, 0)};
  }
  Expr getLength(Lowering &op, ArrayRef<Expr> sizes) const {
    Expr rows = op.exprs.sub(sizes[row], op.literal(rowShift));
    Expr columns = op.exprs.sub(sizes[column], op.literal(columnShift));
    return op.state.simplify(
        op.exprs.max(op.exprs.min(rows, columns), op.literal(0)));
  }
  /// Where an element of the diagonal is; its own place comes last.
  SmallVector<Value> getPosition(OpBuilder &b, Location loc,
                                 ValueRange indices) const {
    auto shift = [&](int64_t by) -> Value {
      Value offset = arith::ConstantIndexOp::create(b, loc, by);
      return arith::AddIOp::create(b, loc, indices.back(), offset);
    };
    SmallVector<Value> at;
    unsigned next = 0;
    for (int64_t dim = 0; dim < int64_t(indices.size()) + 1; ++dim)
      at.push_back(dim == row      ? shift(rowShift)
                   : dim == column ? shift(columnShift)
                                   : indices[next++]);
    return at;
  }
  /// The sizes of the diagonal of a tensor: its own comes last.
  Sizes getSizes(Lowering &op, ArrayRef<Expr> sizes) const {
    Sizes result;
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (int64_t(dim) != row && int64_t(dim) != column)
        result.push_back(size);
    result.push_back(getLength(op, sizes));
    return result;
  }
};
} // namespace

static Tensor readDiagonal(Lowering &op, const Tensor &in,
                           const Diagonal &diagonal) {
  return op.generate(diagonal.getSizes(op, in.sizes), in.dtype,
                     [&](Scalars &s, ValueRange indices) -> Value {
                       return tensor::ExtractOp::create(
                           s.b, s.loc, in.value,
                           diagonal.getPosition(s.b, s.loc, indices));
                     });
}

static Tensor writeDiagonal(Lowering &op, const Tensor &into,
                            const Tensor &values, const Diagonal &diagonal) {
  SmallVector<Value> loop =
      op.loop(diagonal.getSizes(op, into.sizes), into.value,
              [&](OpBuilder &b, ValueRange positions, ValueRange carry) {
                Value value = tensor::ExtractOp::create(b, op.loc, values.value,
                                                        positions);
                return SmallVector<Value>{tensor::InsertOp::create(
                    b, op.loc, value, carry[0],
                    diagonal.getPosition(b, op.loc, positions))};
              });
  return op.make(loop[0], into.dtype, into.sizes);
}

static ViewFns getViewFns(const Diagonal &diagonal) {
  return {[diagonal](Lowering &op, const Tensor &in) {
            return readDiagonal(op, in, diagonal);
          },
          [diagonal](Lowering &op, const Tensor &base, const Tensor &view) {
            return writeDiagonal(op, base, view, diagonal);
          }};
}

ViewFns getDiagonal(int64_t row, int64_t column) {
  return getViewFns(Diagonal::get(row, column, 0));
}

static std::optional<Diagonal> getDiagonal(Lowering &op, int64_t rank,
                                           int64_t row, int64_t column) {
  int64_t dim1 = op.dim("dim1", rank, row), dim2 = op.dim("dim2", rank, column);
  if (dim1 != dim2)
    return Diagonal::get(dim1, dim2, op.integer("offset", 0));
  (void)op.error("two dimensions are needed");
  return std::nullopt;
}

static void lowerDiagonal(Lowering &op) {
  std::optional<Diagonal> diagonal =
      getDiagonal(op, op.tensor("self").rank(), 0, 1);
  if (!diagonal)
    return;
  ViewFns fns = getViewFns(*diagonal);
  op.resultView("self", fns.view, fns.writeBack);
}

static void lowerMatrixDiagonal(Lowering &op) {
  std::optional<Diagonal> diagonal =
      getDiagonal(op, op.tensor("A").rank(), -2, -1);
  if (!diagonal)
    return;
  ViewFns fns = getViewFns(*diagonal);
  op.resultView("A", fns.view, fns.writeBack);
}

static void lowerDiagonalScatter(Lowering &op) {
  Tensor self = op.tensor("self");
  Tensor source = op.convert(op.tensor("src"), self.dtype);
  std::optional<Diagonal> diagonal = getDiagonal(op, self.rank(), 0, 1);
  if (!diagonal || source.rank() != self.rank() - 1) {
    (void)op.error("the source does not fit the diagonal");
    return;
  }
  for (auto [mine, its] :
       llvm::zip(diagonal->getSizes(op, self.sizes), source.sizes))
    op.checkEqual(mine, its,
                  Twine(op.target) + ": the source has another size");
  op.result(writeDiagonal(op, self, source, *diagonal));
}

/// x.fill_diagonal_(v): one diagonal through all dimensions.
static void lowerFillDiagonal(Lowering &op) {
  Tensor self = op.tensor("self");
  if (self.rank() != 2 || op.flag("wrap", false)) {
    (void)op.error("only the diagonal of a matrix is supported");
    return;
  }
  Diagonal diagonal = Diagonal::get(0, 1, 0);
  Value value = op.parameter(op.number("fill_value"), self.dtype);
  Tensor values = op.fill(diagonal.getSizes(op, self.sizes), self.dtype, value);
  op.result(writeDiagonal(op, self, values, diagonal));
}

/// Zeros, with the last dimension of `in` as the diagonal of two new ones.
static Tensor embedDiagonal(Lowering &op, const Tensor &in, int64_t row,
                            int64_t column, int64_t offset) {
  Expr size = op.exprs.add(in.sizes.back(), op.literal(std::abs(offset)));
  Sizes sizes(in.sizes.begin(), in.sizes.end() - 1);
  for (int64_t dim : {std::min(row, column), std::max(row, column)})
    sizes.insert(sizes.begin() + dim, size);
  Tensor zeros = op.fill(sizes, in.dtype, 0.0);
  return writeDiagonal(op, zeros, in, Diagonal::get(row, column, offset));
}

static void lowerDiagEmbed(Lowering &op) {
  Tensor in = op.tensor("self");
  int64_t rank = in.rank() + 1;
  std::optional<Diagonal> diagonal = getDiagonal(op, rank, -2, -1);
  if (!diagonal)
    return;
  op.result(embedDiagonal(op, in, diagonal->row, diagonal->column,
                          op.integer("offset", 0)));
}

/// A vector becomes a diagonal, the diagonal of a matrix a vector.
static void lowerDiag(Lowering &op) {
  Tensor in = op.tensor("self");
  int64_t offset = op.integer("diagonal", 0);
  if (in.rank() == 1)
    return op.result(embedDiagonal(op, in, 0, 1, offset));
  if (in.rank() == 2)
    return op.result(readDiagonal(op, in, Diagonal::get(0, 1, offset)));
  (void)op.error("a vector or a matrix is needed");
}

static void lowerDiagFlat(Lowering &op) {
  op.result(embedDiagonal(op, op.flatten(op.tensor("self")), 0, 1,
                          op.integer("offset", 0)));
}

/// Matrices along the diagonal of one that is zero elsewhere.
static void lowerBlockDiag(Lowering &op) {
  SmallVector<Tensor> blocks = op.tensors("tensors");
  // What PyTorch 2.11 records may be another type.
  Dtype dtype =
      getResultType(SmallVector<Operand>(blocks.begin(), blocks.end()));
  Expr rows = op.literal(0), columns = op.literal(0);
  for (Tensor &block : blocks) {
    while (block.rank() < 2)
      block = op.unsqueeze(block, 0);
    if (block.rank() > 2) {
      (void)op.error("a block has more than two dimensions");
      return;
    }
    block = op.convert(block, dtype);
    rows = op.exprs.add(rows, block.sizes[0]);
    columns = op.exprs.add(columns, block.sizes[1]);
  }
  Tensor result = op.fill({rows, columns}, dtype, 0.0);
  Expr row = op.literal(0), column = op.literal(0);
  SmallVector<OpFoldResult> steps(2, op.b.getIndexAttr(1));
  for (const Tensor &block : blocks) {
    result =
        op.insertSlice(result, block, op.sizesOrLiterals({row, column}), steps);
    row = op.exprs.add(row, block.sizes[0]);
    column = op.exprs.add(column, block.sizes[1]);
  }
  op.result(result);
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

/// Each vector as a tensor over the grid of all.
static void lowerMeshgrid(Lowering &op) {
  SmallVector<Tensor> axes = op.tensors("tensors");
  SmallVector<int64_t> slots = op.slotsOf("tensors");
  int64_t rank = int64_t(axes.size());
  bool isSwapped = op.string("indexing", "ij") == "xy" && rank > 1;
  Sizes sizes;
  for (const Tensor &axis : axes)
    sizes.push_back(axis.rank() == 0 ? op.literal(1) : axis.sizes[0]);
  if (isSwapped)
    std::swap(sizes[0], sizes[1]);
  if (slots.size() != axes.size())
    return;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t dim = isSwapped && i < 2 ? 1 - i : i;
    auto align = [=](Lowering &op, const Tensor &in) {
      return alongDim(op, op.withDim(in), rank, dim);
    };
    int64_t slot =
        op.function.addView(slots[i], align(op, op.function.read(slots[i], op)),
                            align, reshapeBack);
    op.resultViewOf(
        slot,
        [=](Lowering &op, const Tensor &in) { return op.expand(in, sizes); },
        unexpand, unsigned(i));
    noteRepeats(op, unsigned(i));
  }
}

static void lowerCartesianProduct(Lowering &op) {
  SmallVector<Tensor> axes = op.tensors("tensors");
  int64_t rank = int64_t(axes.size());
  Sizes sizes;
  for (const Tensor &axis : axes) {
    if (axis.rank() != 1) {
      (void)op.error("the operands must be vectors");
      return;
    }
    sizes.push_back(axis.sizes[0]);
  }
  SmallVector<Tensor> columns;
  for (auto [dim, axis] : llvm::enumerate(axes)) {
    Tensor grid = op.expand(alongDim(op, axis, rank, int64_t(dim)), sizes);
    columns.push_back(op.unsqueeze(op.flatten(grid), 1));
  }
  op.result(rank == 1 ? axes[0] : op.concat(columns, 1));
}

static void lowerBroadcastTensors(Lowering &op) {
  SmallVector<Operand> operands;
  for (const Tensor &tensor : op.tensors("tensors"))
    operands.push_back(tensor);
  Sizes sizes = op.broadcastSizes(operands);
  for (auto [i, slot] : llvm::enumerate(op.slotsOf("tensors"))) {
    op.resultViewOf(
        slot,
        [=](Lowering &op, const Tensor &in) {
          int64_t offset = int64_t(sizes.size()) - in.rank();
          for (int64_t dim = 0; dim < in.rank(); ++dim)
            if (!in.isOne(dim) && !in.mayBeOne(dim) &&
                !op.state.facts.range(in.sizes[dim]).isAtMost(1))
              op.checkEqual(in.sizes[dim], sizes[dim + offset],
                            Twine(op.target) + ": the sizes differ");
          return op.expand(in, sizes);
        },
        unexpand, unsigned(i));
    noteRepeats(op, unsigned(i));
  }
}

/// A tensor with at least so many dimensions: a third one comes last.
template <int64_t rank>
static Tensor widen(Lowering &op, const Tensor &in) {
  Tensor result = in;
  while (result.rank() < std::min<int64_t>(rank, 2))
    result = op.unsqueeze(result, 0);
  return rank == 3 && result.rank() == 2 ? op.unsqueeze(result, 2) : result;
}

template <int64_t rank>
static void lowerAtLeast(Lowering &op) {
  bool isList = op.has("tensors");
  SmallVector<int64_t> slots =
      isList ? op.slotsOf("tensors") : SmallVector<int64_t>{op.slotOf("self")};
  for (auto [i, slot] : llvm::enumerate(slots))
    if (slot >= 0)
      op.resultViewOf(
          slot, widen<rank>,
          [](Lowering &op, const Tensor &base, const Tensor &view) {
            return op.reshape(view, base.sizes);
          },
          unsigned(i));
}

/// The positions of a triangle's elements, a row of rows and one of columns.
template <bool isUpper>
static void lowerTriangleIndices(Lowering &op) {
  int64_t rows = op.integer("row", 0), columns = op.integer("col", 0);
  int64_t offset = op.integer("offset", 0);
  // They are written out.
  constexpr int64_t limit = int64_t(1) << 12;
  if (rows < 0 || columns < 0 || rows > limit || columns > limit) {
    (void)op.error("more than 4096 rows or columns are not supported");
    return;
  }
  offset = std::clamp(offset, -limit, limit);
  SmallVector<int64_t> numbers, second;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      if (isUpper ? column >= row + offset : column <= row + offset) {
        numbers.push_back(row);
        second.push_back(column);
      }
  int64_t count = int64_t(numbers.size());
  numbers.append(second);
  auto type = RankedTensorType::get({2, count}, op.b.getI64Type());
  Value value = arith::ConstantOp::create(
      op.b, op.loc, DenseElementsAttr::get(type, ArrayRef(numbers)));
  op.result(op.make(value, Dtype::I64, {op.literal(2), op.literal(count)}));
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

/// [..., c * r * r, h, w] to [..., c, h * r, w * r].
static void lowerPixelShuffle(Lowering &op) {
  Tensor in = op.tensor("self");
  int64_t rank = in.rank(), lead = rank - 3;
  Expr factor = op.literal(op.integer("upscale_factor", 1));
  if (rank < 3) {
    (void)op.error("three dimensions are needed");
    return;
  }
  Expr area = op.exprs.mul(factor, factor), height = in.sizes[rank - 2];
  Expr width = in.sizes[rank - 1];
  op.checkEqual(op.exprs.mod(in.sizes[lead], area), op.literal(0),
                Twine(op.target) + ": the channels do not fit the factor");
  Expr channels = op.state.simplify(op.exprs.floorDiv(in.sizes[lead], area));
  Sizes split(in.sizes.begin(), in.sizes.begin() + lead), merged = split;
  split.append({channels, factor, factor, height, width});
  merged.append(
      {channels, op.exprs.mul(height, factor), op.exprs.mul(width, factor)});
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, lead + 1));
  order.append({lead + 3, lead + 1, lead + 4, lead + 2});
  op.result(op.reshape(op.permute(op.reshape(in, split), order), merged));
}

/// [..., c, h * r, w * r] to [..., c * r * r, h, w].
static void lowerPixelUnshuffle(Lowering &op) {
  Tensor in = op.tensor("self");
  int64_t rank = in.rank(), lead = rank - 3;
  Expr factor = op.literal(op.integer("downscale_factor", 1));
  if (rank < 3) {
    (void)op.error("three dimensions are needed");
    return;
  }
  auto divide = [&](Expr size) {
    op.checkEqual(op.exprs.mod(size, factor), op.literal(0),
                  Twine(op.target) + ": the size does not fit the factor");
    return op.state.simplify(op.exprs.floorDiv(size, factor));
  };
  Expr height = divide(in.sizes[rank - 2]), width = divide(in.sizes[rank - 1]);
  Sizes split(in.sizes.begin(), in.sizes.begin() + lead), merged = split;
  split.append({in.sizes[lead], height, factor, width, factor});
  merged.append({op.product({in.sizes[lead], factor, factor}), height, width});
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, lead + 1));
  order.append({lead + 2, lead + 4, lead + 1, lead + 3});
  op.result(op.reshape(op.permute(op.reshape(in, split), order), merged));
}

static void lowerChannelShuffle(Lowering &op) {
  Tensor in = op.tensor("self");
  Expr groups = op.literal(op.integer("groups", 1));
  if (in.rank() < 3) {
    (void)op.error("three dimensions are needed");
    return;
  }
  op.checkEqual(op.exprs.mod(in.sizes[1], groups), op.literal(0),
                Twine(op.target) + ": the channels do not fit the groups");
  Sizes split = in.sizes;
  split[1] = op.state.simplify(op.exprs.floorDiv(in.sizes[1], groups));
  split.insert(split.begin() + 1, groups);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, in.rank() + 1));
  std::swap(order[1], order[2]);
  op.result(op.reshape(op.permute(op.reshape(in, split), order), in.sizes));
}

void addShapes(LoweringTable &table) {
  table.add("aten.diagonal.default", lowerDiagonal);
  table.add("aten.linalg_diagonal.default", lowerMatrixDiagonal);
  table.add("aten.diagonal_scatter.default", lowerDiagonalScatter);
  table.add("aten.fill_diagonal.default", lowerFillDiagonal);
  table.add("aten.diag.default", lowerDiag);
  table.add("aten.diag_embed.default", lowerDiagEmbed);
  table.add("aten.diagflat.default", lowerDiagFlat);
  table.add("aten.block_diag.default", lowerBlockDiag);
  table.add("aten.meshgrid.default", lowerMeshgrid);
  table.add("aten.meshgrid.indexing", lowerMeshgrid);
  table.add("aten.cartesian_prod.default", lowerCartesianProduct);
  table.add("aten.broadcast_tensors.default", lowerBroadcastTensors);
  for (StringRef overload : {"default", "Sequence"}) {
    table.add(("aten.atleast_1d." + overload).str(), lowerAtLeast<1>);
    table.add(("aten.atleast_2d." + overload).str(), lowerAtLeast<2>);
    table.add(("aten.atleast_3d." + overload).str(), lowerAtLeast<3>);
  }
  table.add("aten.tril_indices.default", lowerTriangleIndices<false>);
  table.add("aten.triu_indices.default", lowerTriangleIndices<true>);
  table.add("aten.pixel_shuffle.default", lowerPixelShuffle);
  table.add("aten.pixel_unshuffle.default", lowerPixelUnshuffle);
  table.add("aten.channel_shuffle.default", lowerChannelShuffle);
}

} // namespace tally::import_pt2
