//===- GPUThread.h - A thread of a kernel -----------------------*- C++ -*-===//
//
// A thread runs until it meets others: at a barrier, a shuffle or a vote. What
// it is in the middle of by then (branches, loops) is a stack, so that other
// threads can run meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_INTERPRETER_GPUTHREAD_H
#define TALLY_LIB_INTERPRETER_GPUTHREAD_H

#include "Handlers.h"

namespace tally::interpreter {

/// Where threads meet.
enum class Meeting : uint8_t { None, Warp, Block };
Meeting getMeeting(mlir::Operation *op);

/// Which operations of a kernel have such places inside.
class MeetingPlaces {
public:
  explicit MeetingPlaces(mlir::Operation *kernel);

  bool areInside(mlir::Operation *op) const { return around.contains(op); }

private:
  llvm::DenseSet<mlir::Operation *> around;
};

class GPUThread {
public:
  GPUThread(const MeetingPlaces &places, const ThreadPlace &place)
      : places(places), place(place) {}

  /// Starts with the body of a kernel.
  void start(mlir::Region &body, llvm::ArrayRef<RuntimeValue> arguments);
  /// Runs until the thread meets others, or ends.
  llvm::LogicalResult run(Execution &execution);

  bool hasEnded() const { return frames.empty(); }
  /// Ends early.
  void end() { frames.clear(); }
  /// The operation at which the thread waits; null if it has ended.
  mlir::Operation *getPlaceOfMeeting() const {
    return hasEnded() ? nullptr : &*frames.back().next;
  }
  /// Goes on behind the operation at which it waits.
  void pass() { ++frames.back().next; }
  void passBarrier() {
    pass();
    ++place.phase;
  }

  const Scalar &getScalar(mlir::Value value) const {
    return values.find(value)->second.getScalar();
  }
  void set(mlir::Value result, RuntimeValue value) {
    values[result] = std::move(value);
  }
  const ThreadPlace &getPlace() const { return place; }

private:
  /// A region that is being run: of a kernel, a branch or a loop.
  struct Frame {
    mlir::Operation *owner = nullptr;
    mlir::Block::iterator next;
    /// The iteration of a loop.
    LoopRange range;
  };

  llvm::LogicalResult step(Execution &execution);
  llvm::LogicalResult enter(mlir::Operation *op, Execution &execution);
  void enterBlock(mlir::Block *block, llvm::MutableArrayRef<RuntimeValue> args);
  void iterate(llvm::SmallVector<RuntimeValue> carried);
  llvm::LogicalResult leaveBlock(Execution &execution);
  llvm::LogicalResult goRound(mlir::Operation *loop,
                              llvm::MutableArrayRef<RuntimeValue> passed,
                              Execution &execution);
  void leave(llvm::ArrayRef<RuntimeValue> results);

  const MeetingPlaces &places;
  ThreadPlace place;
  Environment values;
  llvm::SmallVector<Frame, 4> frames;
};

} // namespace tally::interpreter

#endif // TALLY_LIB_INTERPRETER_GPUTHREAD_H
