//===- ScanKernel.h - What the files of scans' kernels share ----*- C++ -*-===//
//
// See ScanEmitter.h. ScanEmitter.cpp has elements, rows, and rows of one
// thread, ScanTiles.cpp the tiles of a team.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_SCANKERNEL_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_SCANKERNEL_H

#include "ScanEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tally::codegen {

using Values = llvm::SmallVector<mlir::Value>;

inline constexpr unsigned kWarpSize = 32;

/// An element: what is to be accumulated of it, and the values of the body that
/// have been computed.
struct ScanElement {
  Values values;
  mlir::IRMapping map;
};

/// What a thread has of a warp's neighboring elements: as many as there are
/// lanes, from a position on.
struct ScanRound {
  mlir::Value position, isValid;
  llvm::SmallVector<ScanElement> elements;
  /// What the threads before this one are combined to, unless it is the first
  /// one, and what all of the warp are.
  Values before, all;
};

/// Emits what the threads of a kernel do.
class ScanEmitter {
public:
  ScanEmitter(PrefixScanOp op, const Kernel &kernel, mlir::OpBuilder &builder,
              ScanStep step, ScanTeam team, const ScanParts &parts);

  void emit();

private:
  bool isThread() const { return team.team == Team::Thread; }
  bool isWarp() const { return team.team == Team::Warp; }
  unsigned countMembers() const {
    return isWarp() ? kWarpSize : team.getNumThreads();
  }

  // Values
  mlir::Value constant(int64_t value) { return math.constant(value); }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b) {
    return builder.createOrFold<mlir::arith::CmpIOp>(loc, predicate, a, b);
  }
  Values select(mlir::Value condition, mlir::ValueRange yes,
                mlir::ValueRange no);
  Values combine(mlir::ValueRange before, mlir::ValueRange next);
  Values shuffleUp(mlir::ValueRange values, unsigned distance);
  /// Emits `body` where the condition holds.
  void emitIf(mlir::Value condition, llvm::function_ref<void()> body);
  mlir::scf::ForOp enterLoop(mlir::Value from, mlir::Value to, mlir::Value by,
                             mlir::ValueRange carried);

  // Elements
  llvm::SmallVector<mlir::Value> getIndices(mlir::Value position);
  mlir::Value getPlaceOfPart();
  Values loadSums(mlir::Value place);
  void storeSums(mlir::ValueRange values, mlir::Value place);
  /// The elements from a position on, as many as there are lanes.
  llvm::SmallVector<ScanElement> read(mlir::Value position, unsigned lanes);
  llvm::SmallVector<Values> load(mlir::Value position, unsigned lanes);
  llvm::SmallVector<Values> loadAny(mlir::Value position);
  mlir::Value isWhole(mlir::Value position);
  ScanElement map(mlir::Value position, mlir::ValueRange arguments);
  /// Stores the results, given the accumulators at each element.
  void write(mlir::Value position, llvm::MutableArrayRef<ScanElement> elements,
             llvm::ArrayRef<Values> accumulators);
  void store(mlir::Value position, llvm::ArrayRef<Values> stored);

  // A row, or a part
  void enterRow(mlir::Value number);
  Values createStart();
  void emitAlone();
  Values emitElements(mlir::Value position, unsigned count, Values carried);
  mlir::Value findFirstTile();
  void emitTogether();
  Values emitAnyTile(mlir::Value base, Values carried);
  Values emitTile(mlir::Value base, mlir::Value numValid, Values carried);
  ScanRound readRound(mlir::Value start);
  Values scanRounds(llvm::MutableArrayRef<ScanRound> rounds,
                    mlir::Value numValid);
  void writeRound(ScanRound &round, Values before);
  Values combineLanes(mlir::Value position,
                      llvm::ArrayRef<ScanElement> elements);
  Values scanWarp(Values values);
  Values takeLast(mlir::ValueRange values, mlir::Value numValid);
  std::pair<Values, Values> scanWarps(mlir::ValueRange values,
                                      mlir::Value numValid);

  PrefixScanOp op;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  IndexMath math;
  ScanStep step;
  ScanTeam team;
  /// Of the kernel.
  Values inputs, outputs, starts, sums, others;
  mlir::Value length, numRows, numParts, partLength, shift;
  mlir::Value thread, lane, warp;
  /// Shared memory: an accumulator of each warp.
  Values shared;
  /// The current row and part, and where it lies in the row.
  mlir::Value row, part, begin, end;
  llvm::SmallVector<mlir::Value> rowIndices;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_SCANKERNEL_H
