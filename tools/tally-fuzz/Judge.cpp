//===- Judge.cpp - The compiled program against the interpreter -----------===//

#include "Judge.h"

#include "tally/Driver/Driver.h"
#include "tally/IR/Tally.h"
#include "tally/Interpreter/Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/ScopeExit.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;
using interpreter::CheckFailure;
using interpreter::Results;
using interpreter::Tensor;

StringRef tally::fuzz::getName(Kind kind) {
  static constexpr llvm::StringLiteral names[kNumKinds] = {
      "right",       "unjudged",    "undefined", "invalid",
      "unsupported", "other check", "refused",   "accepted",
      "wrong",       "crash",       "hang"};
  return names[static_cast<unsigned>(kind)];
}

bool tally::fuzz::isFinding(Kind kind) { return kind >= Kind::Undefined; }

std::string tally::fuzz::getSignature(StringRef message) {
  std::string text;
  // What tally-verify-form misses differs from program to program.
  auto [head, tail] = message.split(" op needs ");
  if (tail.contains(", which"))
    return head.str() + " op needs what is not known";
  for (char c : message.take_until([](char x) { return x == '\n'; })) {
    if (!llvm::isDigit(c))
      text.push_back(c);
    else if (text.empty() || text.back() != '#')
      text.push_back('#');
  }
  return StringRef(text).take_front(160).str();
}

void Verdict::note(Kind other, const Twine &what, StringRef message) {
  if (other <= kind)
    return;
  kind = other;
  detail = what.str();
  signature = getSignature(message);
}

//===----------------------------------------------------------------------===//
// Interpreting
//===----------------------------------------------------------------------===//

static interpreter::RuntimeValue toValue(const Array &array, Type type) {
  auto tensor = Tensor::fromBytes(getElementTypeOrSelf(type), array.getShape(),
                                  array.getData());
  if (isa<TensorType>(type))
    return tensor;
  return tensor.get(0);
}

static std::vector<interpreter::Outcome> interpretCalls(FuzzProgram &program) {
  std::vector<interpreter::Outcome> outcomes;
  auto main = program.module->lookupSymbol<func::FuncOp>("main");
  for (const std::vector<Array> &call : program.calls) {
    std::vector<interpreter::RuntimeValue> values;
    for (auto [array, type] :
         llvm::zip(call, main.getFunctionType().getInputs()))
      values.push_back(toValue(array, type));
    interpreter::InterpreterOptions options;
    options.maxSteps = 5'000'000;
    options.maxBytes = int64_t(1) << 28;
    outcomes.push_back(interpreter::interpret(main, values, options));
  }
  return outcomes;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {

/// Guard pages around every buffer; what nobody has written is garbage.
class TestAllocator {
public:
  explicit TestAllocator(bool before)
      : guarded(*tally_rt_guard_page_allocator(before)),
        allocator{this, allocate, deallocate} {}

  const tally_rt_allocator &get() const { return allocator; }
  int64_t getLive() const { return live; }

private:
  static void *allocate(void *self, size_t bytes, size_t alignment) {
    auto *that = static_cast<TestAllocator *>(self);
    void *pointer =
        that->guarded.allocate(that->guarded.user, bytes, alignment);
    if (!pointer)
      return nullptr;
    std::memset(pointer, 0xa5, bytes);
    ++that->live;
    return pointer;
  }
  static void deallocate(void *self, void *pointer, size_t bytes,
                         size_t alignment) {
    auto *that = static_cast<TestAllocator *>(self);
    --that->live;
    that->guarded.deallocate(that->guarded.user, pointer, bytes, alignment);
  }

  const tally_rt_allocator &guarded;
  tally_rt_allocator allocator;
  int64_t live = 0;
};

} // namespace

/// Runs a parallel loop in two halves, the last one first.
static int32_t runBackwards(void *, int64_t begin, int64_t end, int64_t,
                            tally_rt_chunk chunk, void *closure) {
  int64_t middle = begin + (end - begin) / 2;
  int32_t status = 0;
  if (middle < end)
    status |= chunk(closure, middle, end);
  if (begin < middle)
    status |= chunk(closure, begin, middle);
  return status;
}

//===----------------------------------------------------------------------===//
// Calling compiled programs
//===----------------------------------------------------------------------===//

namespace {

/// What came of a call of the compiled program.
struct CompiledCall {
  int32_t status = TALLY_RT_OK;
  std::string message;
  std::string expression;
  std::string requiredBy;
  std::string userMessage;
  int32_t line = 0;
  std::vector<Array> results;
  /// What is wrong whatever the results are.
  std::string fault;
};

} // namespace

static CompiledCall callCompiled(const tally_rt_library &library,
                                 const std::vector<Array> &inputs,
                                 const TestAllocator &allocator) {
  CompiledCall call;
  const tally_rt_entry *entry = tally_rt_find_entry(&library, "main");
  tally_rt_config config = {sizeof(tally_rt_config), &allocator.get(),
                            runBackwards, nullptr};
  tally_rt_context *context = tally_rt_context_create(&config);
  llvm::scope_exit destroy([&] { tally_rt_context_destroy(context); });
  std::vector<Array> arguments;
  std::vector<DLTensor> tensors;
  std::vector<DLTensor *> pointers;
  for (const Array &input : inputs) {
    arguments.push_back(llvm::cantFail(input.clone(allocator.get())));
    tensors.push_back(arguments.back().getTensor());
  }
  for (auto [argument, tensor] : llvm::zip_equal(arguments, tensors)) {
    tensor.shape = const_cast<int64_t *>(argument.getShape().data());
    pointers.push_back(&tensor);
  }
  std::vector<DLManagedTensor *> results(tally_rt_num_returned(entry));
  call.status =
      tally_rt_invoke(&library, entry, context, pointers.data(),
                      pointers.size(), results.data(), results.size());
  if (call.status == TALLY_RT_OK) {
    for (DLManagedTensor *result : results)
      call.results.push_back(Array::take(result));
  } else if (const tally_rt_error *error = tally_rt_last_error(context)) {
    call.message = error->message;
    call.expression = error->expression;
    call.requiredBy = error->required_by;
    call.userMessage = error->user_message;
    call.line = error->line;
  }
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (std::memcmp(argument.getData(), inputs[index].getData(),
                    argument.getNumBytes()) != 0)
      call.fault = "argument " + std::to_string(index) + " was written to";
  if (int64_t live = tally_rt_live_allocations(context))
    call.fault = std::to_string(live) + " buffers are left behind";
  return call;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// How exactly floats of a program are compared.
enum class Exactness {
  /// Bit by bit.
  Exact,
  /// The zeros are equal: `arith.maxnumf` and `arith.minnumf` of both return
  /// either.
  EqualZeros,
  /// The last bits may differ: the program has a sum of floats or a function
  /// that libraries compute differently.
  Rounded,
};

/// How far a result may be apart, for one of this magnitude that is computed in
/// such floats.
static double getTolerance(unsigned width, bool isBFloat) {
  if (isBFloat)
    return 0.1;
  if (width == 16)
    return 0.02;
  return width == 32 ? 1e-4 : 1e-9;
}

static double getTolerance(DLDataType type) {
  return getTolerance(type.bits, type.code == kDLBfloat);
}

/// What a type brings about that an operation rounds to.
static double getTolerance(Type type) {
  type = getElementTypeOrSelf(type);
  return isa<FloatType>(type)
             ? getTolerance(type.getIntOrFloatBitWidth(), type.isBF16())
             : 0;
}

/// Returns true for what libraries compute differently, and sums of many terms.
static bool isRounded(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.getNumReductionLoops() > 0 &&
           llvm::any_of(*structured.getBlock(),
                        llvm::IsaPred<arith::AddFOp, arith::MulFOp>);
  if (auto count = dyn_cast<BincountOp>(op))
    return count.getWeights() != nullptr;
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp,
              math::RoundOp, math::AbsFOp, math::AbsIOp, math::SqrtOp,
              math::CopySignOp>(op);
}

namespace {
/// How the floats of a program are compared.
struct Comparison {
  Exactness exactness = Exactness::Exact;
  /// That of the coarsest type that a result may have been rounded to on its
  /// way: one of f64 may be the sum of floats of f32.
  double tolerance = 0;
};
} // namespace

static Comparison getComparison(ModuleOp module) {
  Comparison comparison;
  auto atLeast = [&](Exactness other) {
    comparison.exactness = std::max(comparison.exactness, other);
  };
  module.walk([&](Operation *op) {
    if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
      atLeast(Exactness::EqualZeros);
    bool rounds = isRounded(op);
    if (rounds)
      atLeast(Exactness::Rounded);
    // What is near the middle of two floats is rounded to one or the other.
    if (rounds || isa<arith::TruncFOp>(op))
      for (Type type : op->getResultTypes())
        comparison.tolerance =
            std::max(comparison.tolerance, getTolerance(type));
  });
  return comparison;
}

/// Compares elements; NaNs are equal.
static bool isSame(double actual, double expected, Exactness exactness,
                   double margin) {
  if (std::isnan(actual) || std::isnan(expected))
    return std::isnan(actual) && std::isnan(expected);
  if (exactness == Exactness::Exact)
    return actual == expected && std::signbit(actual) == std::signbit(expected);
  if (std::isinf(actual) || std::isinf(expected))
    return actual == expected;
  return std::fabs(actual - expected) <= margin;
}

/// Returns why two results differ, or nothing.
static std::string compareArrays(const Array &actual, const Tensor &expected,
                                 const Comparison &comparison) {
  if (actual.getShape() != expected.getShape())
    return "is " + actual.describe() + ", expected another shape";
  Array wanted = makeArray(actual.getType(), expected.getShape());
  llvm::ArrayRef<char> bytes = expected.getBytes();
  std::memcpy(wanted.getData(), bytes.data(), bytes.size());
  bool isFloat = run::isFloat(actual.getType());
  double margin = 0;
  if (isFloat && comparison.exactness == Exactness::Rounded) {
    margin = 1;
    for (int64_t i = 0; i < wanted.getNumElements(); ++i)
      if (double value = std::fabs(wanted.getFloat(i)); std::isfinite(value))
        margin = std::max(margin, value);
    margin *= std::max(getTolerance(actual.getType()), comparison.tolerance);
  }
  for (int64_t i = 0; i < wanted.getNumElements(); ++i) {
    if (expected.isPoison(i))
      continue;
    bool same = isFloat ? isSame(actual.getFloat(i), wanted.getFloat(i),
                                 comparison.exactness, margin)
                        : actual.getInt(i) == wanted.getInt(i);
    if (!same)
      return "is " + printSpec(actual) + ", expected " + printSpec(wanted);
  }
  return "";
}

static Tensor toTensor(const interpreter::RuntimeValue &value, Type type) {
  if (value.isTensor())
    return value.getTensor();
  return Tensor::splat(type, {}, value.getScalar());
}

/// Whether both name the same check. An expression may have been written in
/// another way, a place never changes.
static bool isSameCheck(const CompiledCall &call, const CheckFailure &failure) {
  if (!call.userMessage.empty() && call.userMessage == failure.message)
    return true;
  if (!call.expression.empty() && call.expression == failure.expression)
    return true;
  auto place = dyn_cast<FileLineColLoc>(failure.loc);
  return place && static_cast<int32_t>(place.getLine()) == call.line;
}

/// Returns the operation at this line of a program, or null.
static Operation *findOperation(ModuleOp module, int32_t line) {
  Operation *found = nullptr;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto place = dyn_cast<FileLineColLoc>(op->getLoc());
    if (!place || static_cast<int32_t>(place.getLine()) != line ||
        isa<ModuleOp>(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// Whether `op` runs `target` in one of its regions or in a function that is
/// called there.
static bool runs(Operation *op, Operation *target, unsigned depth = 0) {
  if (op->isProperAncestor(target))
    return true;
  constexpr unsigned maxDepth = 16;
  auto calls = [&](CallOpInterface call) {
    Operation *callee = call.resolveCallable();
    return callee && depth < maxDepth && runs(callee, target, depth + 1);
  };
  return op
      ->walk([&](CallOpInterface call) {
        return calls(call) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the check of `late` may be asserted before that of `early`, which
/// stands before it: an assert comes as early as its symbols exist, so before
/// a branch, a loop or a call with the other one, or before the loop that both
/// are in (docs/Interpreter.md). Those of one block keep their order.
static bool mayComeBefore(Operation *late, Operation *early) {
  for (Operation *at = late; !isa<FunctionOpInterface>(at);
       at = at->getParentOp()) {
    Operation *parent = at->getParentOp();
    if (isa<LoopLikeOpInterface>(parent) && parent->isProperAncestor(early))
      return true;
    for (Block &block : *at->getParentRegion())
      for (Operation &op : block) {
        if (&op == at)
          break;
        if (!isa<linalg::LinalgOp>(op) && runs(&op, early))
          return true;
      }
  }
  return false;
}

/// Whether a call may report another check than the interpreter.
static bool mayFailFirst(ModuleOp module, const CompiledCall &call,
                         const CheckFailure &failure) {
  auto place = dyn_cast<FileLineColLoc>(failure.loc);
  Operation *early =
      place ? findOperation(module, static_cast<int32_t>(place.getLine()))
            : nullptr;
  Operation *late = findOperation(module, call.line);
  // A division by zero is found where it would be done.
  if (early && isa<arith::ArithDialect>(early->getDialect()) &&
      failure.kind == CheckFailure::Kind::Precondition)
    return true;
  return early && late && mayComeBefore(late, early);
}

/// Compares one call; adds it to the verdict, which keeps the gravest.
static void compareCall(ModuleOp module, const CompiledCall &call,
                        const interpreter::Outcome &outcome,
                        const Comparison &comparison, ArrayRef<Type> types,
                        Verdict &verdict) {
  auto find = [&](Kind kind, const Twine &detail, StringRef signature) {
    verdict.note(kind, detail, signature);
  };
  if (!call.fault.empty())
    find(Kind::Wrong, call.fault, call.fault);
  bool refuses = call.status != TALLY_RT_OK;
  if (const auto *error = std::get_if<interpreter::RunError>(&outcome)) {
    bool isUndefined = error->kind == interpreter::RunError::Kind::Undefined;
    return find(isUndefined ? Kind::Undefined : Kind::Unjudged, error->message,
                error->message);
  }
  if (const auto *failure = std::get_if<CheckFailure>(&outcome)) {
    if (!refuses)
      return find(Kind::Accepted,
                  "only refused by the interpreter: " + failure->describe(),
                  failure->requiredBy);
    if (!isSameCheck(call, *failure) && !mayFailFirst(module, call, *failure))
      find(Kind::OtherCheck,
           "compiled: " + call.message +
               "; interpreter: " + failure->describe(),
           call.requiredBy + " / " + failure->requiredBy);
    ++verdict.refusedCalls;
    return;
  }
  if (refuses)
    return find(Kind::Refused,
                "only refused by the compiled program: " + call.message,
                call.requiredBy + " " + call.userMessage);
  const auto &expected = std::get<Results>(outcome).returned;
  bool isRight = call.fault.empty();
  for (auto [index, array, value, type] :
       llvm::enumerate(call.results, expected, types)) {
    std::string difference =
        compareArrays(array, toTensor(value, type), comparison);
    if (difference.empty())
      continue;
    isRight = false;
    find(Kind::Wrong, "result " + Twine(index) + " " + difference, "result");
  }
  verdict.rightCalls += isRight;
}

//===----------------------------------------------------------------------===//
// The judge
//===----------------------------------------------------------------------===//

/// Replaces every operation of one name by one of another name.
static void plantDefect(ModuleOp module, StringRef plant) {
  auto [from, to] = plant.split('=');
  SmallVector<Operation *> found;
  module.walk([&, name = from](Operation *op) {
    if (op->getName().getStringRef() == name)
      found.push_back(op);
  });
  for (Operation *op : found) {
    OpBuilder builder(op);
    OperationState state(op->getLoc(), to, op->getOperands(),
                         op->getResultTypes(), {});
    op->replaceAllUsesWith(builder.create(state));
    op->erase();
  }
}

/// Compiles a copy of the program; where that is refused, says why.
static std::unique_ptr<JitProgram>
compile(FuzzProgram &program, const JudgeOptions &options, std::string &why,
        llvm::function_ref<void(StringRef)> enter) {
  ScopedDiagnosticHandler handler(
      program.module->getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            why.empty())
          why = diagnostic.str();
        return success();
      });
  OwningOpRef<ModuleOp> copy = program.module.get().clone();
  if (!options.plant.empty())
    plantDefect(*copy, options.plant);
  CompileOptions compileOptions;
  compileOptions.elide = options.elide;
  enter("compile");
  if (failed(lowerProgram(*copy, compileOptions))) {
    if (why.empty())
      why = "a pass failed without a word";
    return nullptr;
  }
  enter("jit");
  auto jit = JitProgram::create(*copy, {}, options.optimize);
  if (jit)
    return std::move(*jit);
  why = toString(jit.takeError());
  return nullptr;
}

Verdict tally::fuzz::judge(FuzzProgram &program, const JudgeOptions &options,
                           llvm::function_ref<void(StringRef)> enter) {
  Verdict verdict;
  auto main = program.module->lookupSymbol<func::FuncOp>("main");
  enter("interpret");
  std::vector<interpreter::Outcome> outcomes = interpretCalls(program);
  std::string why;
  std::unique_ptr<JitProgram> jit = compile(program, options, why, enter);
  if (!jit) {
    verdict.kind = Kind::Unsupported;
    verdict.detail = why;
    verdict.signature = getSignature(why);
    return verdict;
  }
  Comparison comparison = getComparison(*program.module);
  SmallVector<Type> types(main.getFunctionType().getResults());
  for (auto [index, inputs] : llvm::enumerate(program.calls)) {
    // A call that is too long for the interpreter may be long for anybody.
    if (const auto *error =
            std::get_if<interpreter::RunError>(&outcomes[index]);
        error && error->kind == interpreter::RunError::Kind::Budget) {
      verdict.note(Kind::Unjudged, error->message, error->message);
      continue;
    }
    enter("call " + std::to_string(index));
    TestAllocator allocator(/*before=*/index % 2 == 1);
    {
      CompiledCall call = callCompiled(jit->getLibrary(), inputs, allocator);
      compareCall(*program.module, call, outcomes[index], comparison, types,
                  verdict);
    }
    if (allocator.getLive() && verdict.kind < Kind::Wrong) {
      verdict.kind = Kind::Wrong;
      verdict.detail = verdict.signature = "results leave memory behind";
    }
  }
  return verdict;
}
