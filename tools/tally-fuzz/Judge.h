//===- Judge.h - The compiled program against the interpreter ---*- C++ -*-===//

#ifndef TALLY_TOOLS_TALLYFUZZ_JUDGE_H
#define TALLY_TOOLS_TALLYFUZZ_JUDGE_H

#include "Program.h"

namespace tally::fuzz {

/// What came of a program, from harmless to grave.
enum class Kind {
  /// Every call had the same results, or the same check failed.
  Right,
  /// The interpreter does not know an operation, or ran out of its budget.
  Unjudged,
  /// The program has no defined results: a fault of the generator.
  Undefined,
  /// The program is not valid: a fault of the generator.
  Invalid,
  /// The compiler reports an error.
  Unsupported,
  /// Both refuse, for different reasons.
  OtherCheck,
  /// Only the compiled program refuses.
  Refused,
  /// Only the interpreter refuses.
  Accepted,
  /// Results differ, an argument was written to, or memory was left behind.
  Wrong,
  Crash,
  Hang,
};
constexpr unsigned kNumKinds = static_cast<unsigned>(Kind::Hang) + 1;

llvm::StringRef getName(Kind kind);
/// Whether it is worth a look.
bool isFinding(Kind kind);

struct Verdict {
  Kind kind = Kind::Right;
  /// What findings of one cause have in common.
  std::string signature;
  /// What happened, for a person.
  std::string detail;
  unsigned rightCalls = 0;
  unsigned refusedCalls = 0;

  /// Keeps what is graver.
  void note(Kind other, const llvm::Twine &what, llvm::StringRef message);

  /// Whether a smaller program still shows the same.
  bool isLike(const Verdict &other) const {
    return kind == other.kind && signature == other.signature;
  }
};

struct JudgeOptions {
  /// `arith.addi=arith.subi`: for tests, the compiled copy of the program has
  /// the second operation wherever the first one stands.
  std::string plant;
  /// Whether what is proven is left out.
  bool elide = true;
  /// How hard LLVM optimizes. Less is faster.
  unsigned optimize = 3;
};

/// Takes a valid program: interprets and compiles it, makes its calls both ways
/// and compares. `enter` is told what begins.
Verdict judge(FuzzProgram &program, const JudgeOptions &options,
              llvm::function_ref<void(llvm::StringRef)> enter);

/// Removes what differs from program to program: numbers and names.
std::string getSignature(llvm::StringRef message);

} // namespace tally::fuzz

#endif // TALLY_TOOLS_TALLYFUZZ_JUDGE_H
