//===- ScatterThread.h - One thread of a scatter ----------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_SCATTERTHREAD_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_SCATTERTHREAD_H

#include "ScatterKernels.h"
#include "TileOrder.h"

namespace tally::codegen {

/// The most items of a part, and of parts that are joined at once.
inline constexpr int64_t kScatterPart = 128;

/// One thread of a team, while its code is emitted.
struct ScatterKernels::Thread : public Emitter {
  Thread(const ScatterKernels &kernels, const Kernel &kernel,
         mlir::OpBuilder &builder)
      : Emitter(builder, kernels.loc), kernels(kernels), kernel(kernel),
        math(builder, kernels.loc) {}

  Value get(Value host) const { return kernel.map.lookupOrDefault(host); }
  Value cloned(mlir::IRMapping &map, const Slice &slice, Value value) {
    for (mlir::Operation *op : slice)
      builder.clone(*op, map);
    return map.lookupOrDefault(value);
  }

  /// The values of the loops at an item.
  mlir::IRMapping enter(Value column, Value item) {
    mlir::IRMapping map(kernel.map);
    auto enterLoops = [&](llvm::ArrayRef<mlir::scf::ForOp> loops,
                          llvm::ArrayRef<Value> counts, Value number) {
      llvm::SmallVector<Value> extents;
      for (Value count : counts)
        extents.push_back(get(count));
      for (auto [from, at] :
           llvm::zip_equal(loops, math.delinearize(number, extents))) {
        mlir::scf::ForOp loop = from;
        map.map(loop.getInductionVar(),
                math.add(get(loop.getLowerBound()),
                         math.mul(at, get(loop.getStep()))));
      }
    };
    enterLoops(kernels.rowLoops, kernels.rowCounts, row);
    enterLoops(kernels.columnLoops, kernels.columnCounts, column);
    enterLoops(kernels.division.getOthers(), kernels.itemCounts, item);
    return map;
  }

  Value keyAt(Value position) {
    if (tile)
      return load(tile->getKeys(), position);
    return load(get(kernels.sorted), {row, position});
  }
  Value itemAt(Value position) {
    Value item = tile ? load(tile->getPlaces(), position)
                      : load(get(kernels.order), {row, position});
    return cast(item, builder.getIndexType());
  }
  Value both(Value a, Value b) { return create<mlir::arith::AndIOp>(a, b); }
  Value negate(Value flag) {
    return create<mlir::arith::XOrIOp>(
        flag, mlir::arith::ConstantIntOp::create(builder, loc, 1, 1));
  }
  /// Whether there is an item at a position, with this key.
  Value hasKey(Value position, Value key) {
    Value last = math.sub(get(kernels.items), index(1));
    Value isThere =
        compare(mlir::arith::CmpIPredicate::ult, position, get(kernels.items));
    Value at = create<mlir::arith::MinUIOp>(position, last);
    return both(isThere,
                compare(mlir::arith::CmpIPredicate::eq, keyAt(at), key));
  }
  /// Whether the item before a position has another key, or there is none.
  Value isStart(Value position, Value key) {
    Value isFirst = compare(mlir::arith::CmpIPredicate::eq, position, index(0));
    Value before = select(isFirst, position, math.sub(position, index(1)));
    return create<mlir::arith::OrIOp>(
        isFirst, compare(mlir::arith::CmpIPredicate::ne, keyAt(before), key));
  }
  Value search(Value from, Value to, Value key, bool isFirst);
  /// The first item with a key in [from, to], where the one at `to` has it.
  Value findFirst(Value from, Value to, Value key) {
    return search(from, to, key, /*isFirst=*/true);
  }
  /// Behind the last item with a key in [from, to), if any of them has it the
  /// first one has it too.
  Value findEnd(Value from, Value to, Value key) {
    return search(from, to, key, /*isFirst=*/false);
  }
  /// The elements of a team: its columns, of which each thread has some.
  void forColumns(llvm::function_ref<void(Value)> body);
  Value combine(Value sum, Value value);
  /// One value or the other, or none of a null type.
  Value either(Value condition, mlir::Type type,
               llvm::function_ref<Value()> yes, llvm::function_ref<Value()> no);
  /// Combines a value with those of a range of positions, one after the other.
  Value combineRange(Value from, Value to, Value start,
                     llvm::function_ref<Value(Value)> getValue);
  /// The indices of the element that an item writes.
  llvm::SmallVector<Value> getPlace(mlir::IRMapping &map) {
    const Ownership &ownership = *kernels.division.getOwnership();
    for (mlir::Operation *op : ownership.slice)
      builder.clone(*op, map);
    return llvm::map_to_vector(ownership.indices, [&](Value index) {
      return map.lookupOrDefault(index);
    });
  }
  void findPart(Run &run, Value isStart, Value length);
  Value getSlot(Value position, Value isStart);
  void update(mlir::IRMapping &map, Value value);

  const ScatterKernels &kernels;
  const Kernel &kernel;
  IndexMath math;
  Value number, group, lane, row;
  /// Where the items of the row are in order, if not in `kernels.order`.
  const TileOrder *tile = nullptr;
};

/// What a team does of a run: the items, or what parts of it were combined to,
/// from one on.
struct ScatterKernels::Run {
  Value key, first, end;
  /// Whether there is anything to do, and whether the run has other parts.
  Value exists, isLong;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_SCATTERTHREAD_H
