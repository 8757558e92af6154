//===- tally-value-bounds.cpp - MLIR is asked what test/Strength asks -----===//
//
// Reads what `strength.py --export` writes and answers with MLIR's ValueBounds,
// in the form that `strength.py --answers` reads. What gives ValueBounds its
// best chance:
//
// - A symbol is an argument of a function; one that N divides is N times an
//   argument. Ranges and facts are put into the constraint set itself, once for
//   a question: as bounds of a value they would be visited again and again.
// - A comparison is one affine map, the difference of its sides, against 0:
//   what it contains is simplified, products and quotients of symbols too, and
//   its divisions are shared.
// - Other operations are ops with ValueBoundsOpInterface: affine.min and .max,
//   after operands that the set can prove to be needless are dropped as
//   -affine-simplify-min-max does it; arith.select, of whose condition the set
//   is asked first; affine.apply of `mod` by a value known to be positive.
// - A product or quotient of symbols that is left is arith.muli, .floordivsi or
//   .ceildivsi, of which ValueBounds knows nothing. Equal ones are one value.
// - `and`, `or`, `not` are asked comparison by comparison.
// - Facts that make the set empty are a contradiction, an answer that
//   ValueBounds has not: it proves nothing from them.
//
// What has no such form (boolean symbols, literals past 64 bits) and what may
// be undefined is unknown; a fact that has none is left out.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <limits>
#include <map>

using namespace mlir;
using llvm::json::Array;
using llvm::json::Object;

namespace {

/// What is known of a condition; it may also have no form or no value.
enum class Answer : uint8_t { Yes, No, Unknown, Undefined };

enum class Relation : uint8_t { EQ, NE, LT, LE, GT, GE };

std::optional<Relation> parseRelation(StringRef text) {
  return llvm::StringSwitch<std::optional<Relation>>(text)
      .Case("==", Relation::EQ)
      .Case("!=", Relation::NE)
      .Case("<", Relation::LT)
      .Case("<=", Relation::LE)
      .Case(">", Relation::GT)
      .Case(">=", Relation::GE)
      .Default(std::nullopt);
}

Relation negate(Relation relation) {
  switch (relation) {
  case Relation::EQ:
    return Relation::NE;
  case Relation::NE:
    return Relation::EQ;
  case Relation::LT:
    return Relation::GE;
  case Relation::LE:
    return Relation::GT;
  case Relation::GT:
    return Relation::LE;
  case Relation::GE:
    return Relation::LT;
  }
  llvm_unreachable("covered switch");
}

Answer negate(Answer answer) {
  if (answer == Answer::Yes)
    return Answer::No;
  return answer == Answer::No ? Answer::Yes : answer;
}

/// An integer that, and whose negation, fits 64 bits.
std::optional<int64_t> readInteger(const llvm::json::Value *value) {
  std::optional<int64_t> result = value->getAsInteger();
  return result == std::numeric_limits<int64_t>::min() ? std::nullopt : result;
}

/// A constraint set that facts are put into before it is asked.
class FactSet : public llvm::RTTIExtends<FactSet, ValueBoundsConstraintSet> {
public:
  static char ID; // NOLINT(readability-identifier-naming): RTTIExtends reads it

  explicit FactSet(MLIRContext *context)
      : RTTIExtends(
            context, [](auto &&...) { return false; },
            /*addConservativeSemiAffineBounds=*/true) {}

  bool isContradiction() const { return cstr.isEmpty(); }

  /// Takes `variable relation 0` as true.
  void assume(const Variable &variable, Relation relation) {
    int64_t pos = populate(variable);
    AffineExpr zero = getExpr(0), one = getExpr(1);
    switch (relation) {
    case Relation::EQ:
      return addBound(presburger::BoundType::EQ, pos, zero);
    case Relation::LT:
      return addBound(presburger::BoundType::UB, pos, zero);
    case Relation::LE:
      return addBound(presburger::BoundType::UB, pos, one);
    case Relation::GT:
      return addBound(presburger::BoundType::LB, pos, one);
    case Relation::GE:
      return addBound(presburger::BoundType::LB, pos, zero);
    case Relation::NE:
      if (prove(variable, Relation::GE))
        addBound(presburger::BoundType::LB, pos, one);
      else if (prove(variable, Relation::LE))
        addBound(presburger::BoundType::UB, pos, zero);
    }
  }

  /// Whether `variable relation 0`.
  Answer ask(const Variable &variable, Relation relation) const {
    if (prove(variable, relation))
      return Answer::Yes;
    return prove(variable, negate(relation)) ? Answer::No : Answer::Unknown;
  }

  bool prove(const Variable &variable, Relation relation) const {
    switch (relation) {
    case Relation::EQ:
      return compareToZero(variable, EQ);
    case Relation::NE:
      return compareToZero(variable, LT) || compareToZero(variable, GT);
    case Relation::LT:
      return compareToZero(variable, LT);
    case Relation::LE:
      return compareToZero(variable, LE);
    case Relation::GT:
      return compareToZero(variable, GT);
    case Relation::GE:
      return compareToZero(variable, GE);
    }
    llvm_unreachable("covered switch");
  }

private:
  int64_t populate(const Variable &variable) {
    return populateConstraints(variable.getMap(), variable.getOperands());
  }

  bool compareToZero(const Variable &variable, ComparisonOperator op) const {
    Builder builder(variable.getContext());
    FactSet copy = *this; // every comparison adds columns
    return copy.populateAndCompare(variable, op,
                                   Variable(builder.getIndexAttr(0)));
  }
};

char FactSet::ID = 0;

/// One question: a function whose arguments are the symbols, with the ops that
/// its facts and its query need. Integers are semi-affine expressions in which
/// symbol number I stands for `values[I]`; null for what has no such form or
/// may be undefined.
class Asker {
public:
  Asker(MLIRContext *context, const Object &question);

  StringRef answer();

private:
  void declare(const Object &symbol);
  void assume(const Array &expr, bool isTrue = true);
  Answer decide(const Array &expr);
  Answer decideList(const Array &expr, Answer decisive);

  AffineExpr build(const llvm::json::Value &value) {
    const Array *expr = value.getAsArray();
    return expr ? build(*expr) : AffineExpr();
  }
  AffineExpr build(const Array &expr);
  AffineExpr buildDivision(StringRef kind, AffineExpr a, AffineExpr b);
  AffineExpr buildExactDivision(AffineExpr a, AffineExpr b);
  AffineExpr buildExtremum(bool isMin, SmallVector<AffineExpr> operands);
  AffineExpr buildSelect(const Array &expr);

  AffineExpr constant(int64_t value) {
    return builder.getAffineConstantExpr(value);
  }
  AffineExpr symbolExpr(unsigned number) {
    return builder.getAffineSymbolExpr(number);
  }
  AffineExpr makeSymbol(Value value) {
    values.push_back(value);
    return symbolExpr(values.size() - 1);
  }
  /// The value that `make` made for this operation, or makes now.
  AffineExpr getOrMake(StringRef kind, ArrayRef<AffineExpr> operands,
                       function_ref<Value()> make);
  /// Has values in place of all that is not affine.
  AffineExpr makeAffine(AffineExpr expr);
  Value makeOp(AffineExprKind kind, AffineExpr a, AffineExpr b);
  std::pair<AffineMap, SmallVector<Value>> makeMap(ArrayRef<AffineExpr> exprs);
  Value materialize(AffineExpr expr);
  ValueBoundsConstraintSet::Variable makeVariable(AffineExpr expr);
  bool prove(AffineExpr expr, Relation relation) {
    return facts.prove(makeVariable(expr), relation);
  }

  const Object &question;
  OwningOpRef<func::FuncOp> function;
  OpBuilder builder;
  FactSet facts;
  SmallVector<Value> values;
  std::map<std::string, AffineExpr, std::less<>> symbols;
  std::map<std::pair<std::string, std::vector<const void *>>, AffineExpr> made;
};

Asker::Asker(MLIRContext *context, const Object &question)
    : question(question), builder(context), facts(context) {
  Location loc = builder.getUnknownLoc();
  function =
      func::FuncOp::create(loc, "question", builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function->addEntryBlock());
  for (const llvm::json::Value &symbol : *question.getArray("symbols"))
    declare(*symbol.getAsObject());
  for (const llvm::json::Value &fact : *question.getArray("facts"))
    assume(*fact.getAsArray());
}

void Asker::declare(const Object &symbol) {
  if (*symbol.getBoolean("is_bool"))
    return;
  Value argument = function->getBody().front().addArgument(
      builder.getIndexType(), function->getLoc());
  AffineExpr expr = makeSymbol(argument);
  if (auto divisor = readInteger(symbol.get("divisor")))
    expr = expr * *divisor;
  symbols.emplace(symbol.getString("name")->str(), expr);
  if (auto low = readInteger(symbol.get("low")))
    facts.assume(makeVariable(expr - *low), Relation::GE);
  if (auto high = readInteger(symbol.get("high")))
    facts.assume(makeVariable(expr - *high), Relation::LE);
}

void Asker::assume(const Array &expr, bool isTrue) {
  StringRef kind = *expr[0].getAsString();
  if (kind == (isTrue ? "and" : "or")) {
    for (const llvm::json::Value &part : llvm::drop_begin(expr))
      assume(*part.getAsArray(), isTrue);
    return;
  }
  if (kind == "not")
    return assume(*expr[1].getAsArray(), !isTrue);
  std::optional<Relation> relation = parseRelation(kind);
  if (!relation)
    return;
  AffineExpr lhs = build(expr[1]), rhs = build(expr[2]);
  if (lhs && rhs)
    facts.assume(makeVariable(lhs - rhs),
                 isTrue ? *relation : negate(*relation));
}

StringRef Asker::answer() {
  if (facts.isContradiction())
    return "contradiction";
  switch (decide(*question.getArray("query"))) {
  case Answer::Yes:
    return "yes";
  case Answer::No:
    return "no";
  default:
    return "unknown";
  }
}

Answer Asker::decide(const Array &expr) {
  StringRef kind = *expr[0].getAsString();
  if (kind == "bool")
    return *expr[1].getAsBoolean() ? Answer::Yes : Answer::No;
  if (kind == "not")
    return negate(decide(*expr[1].getAsArray()));
  if (kind == "and" || kind == "or")
    return decideList(expr, kind == "and" ? Answer::No : Answer::Yes);
  std::optional<Relation> relation = parseRelation(kind);
  if (!relation)
    return kind == "symbol" ? Answer::Unknown : Answer::Undefined;
  AffineExpr lhs = build(expr[1]), rhs = build(expr[2]);
  if (!lhs || !rhs)
    return Answer::Undefined;
  return facts.ask(makeVariable(lhs - rhs), *relation);
}

/// `and` or `or`, from left to right: `decisive` is the answer of a part that
/// is the answer of the whole.
Answer Asker::decideList(const Array &expr, Answer decisive) {
  Answer result = negate(decisive);
  for (const llvm::json::Value &part : llvm::drop_begin(expr)) {
    Answer answer = decide(*part.getAsArray());
    if (answer == decisive || answer == Answer::Undefined)
      return answer;
    if (answer == Answer::Unknown)
      result = Answer::Unknown;
  }
  return result;
}

AffineExpr Asker::build(const Array &expr) {
  StringRef kind = *expr[0].getAsString();
  if (kind == "const") {
    std::optional<int64_t> value = readInteger(&expr[1]);
    return value ? constant(*value) : AffineExpr();
  }
  if (kind == "symbol") {
    auto found = symbols.find(*expr[1].getAsString());
    return found == symbols.end() ? AffineExpr() : found->second;
  }
  if (kind == "select")
    return buildSelect(expr);
  if (kind == "**") {
    AffineExpr base = build(expr[1]), result = constant(1);
    for (int64_t i = 0; base && i < *expr[2].getAsInteger(); ++i)
      result = result * base;
    return base ? result : base;
  }
  SmallVector<AffineExpr> operands;
  for (const llvm::json::Value &operand : llvm::drop_begin(expr))
    operands.push_back(build(operand));
  if (!llvm::all_of(operands, [](AffineExpr x) { return bool(x); }))
    return {};
  if (kind == "+")
    return operands[0] + operands[1];
  if (kind == "-")
    return operands[0] - operands[1];
  if (kind == "neg")
    return -operands[0];
  if (kind == "abs")
    return buildExtremum(/*isMin=*/false, {operands[0], -operands[0]});
  if (kind == "min" || kind == "max")
    return buildExtremum(kind == "min", operands);
  if (kind == "*")
    return operands[0] * operands[1];
  if (kind == "exact_div")
    return buildExactDivision(operands[0], operands[1]);
  if (kind == "floordiv" || kind == "ceildiv" || kind == "mod")
    return buildDivision(kind, operands[0], operands[1]);
  return {};
}

/// Python's division; affine divisors are positive.
AffineExpr Asker::buildDivision(StringRef kind, AffineExpr a, AffineExpr b) {
  bool isNegative = prove(b, Relation::LT);
  if (!isNegative && !prove(b, Relation::GT))
    return {};
  if (isNegative) {
    a = -a;
    b = -b;
  }
  if (kind == "mod")
    return isNegative ? -(a % b) : a % b;
  return kind == "floordiv" ? a.floorDiv(b) : a.ceilDiv(b);
}

AffineExpr Asker::buildExactDivision(AffineExpr a, AffineExpr b) {
  AffineExpr rest = buildDivision("mod", a, b);
  if (!rest || !prove(rest, Relation::EQ))
    return {};
  return buildDivision("floordiv", a, b);
}

AffineExpr Asker::buildExtremum(bool isMin, SmallVector<AffineExpr> operands) {
  Relation isBetter = isMin ? Relation::LE : Relation::GE;
  for (size_t i = 0; i < operands.size();) {
    bool isNeedless = false;
    for (size_t j = 0; j < operands.size() && !isNeedless; ++j)
      isNeedless = i != j && prove(operands[j] - operands[i], isBetter);
    if (isNeedless)
      operands.erase(operands.begin() + i);
    else
      ++i;
  }
  if (operands.size() == 1)
    return operands.front();
  llvm::sort(operands, [](AffineExpr a, AffineExpr b) {
    return std::less<>()(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  });
  return getOrMake(isMin ? "min" : "max", operands, [&]() -> Value {
    Location loc = builder.getUnknownLoc();
    auto [map, used] = makeMap(operands);
    if (isMin)
      return affine::AffineMinOp::create(builder, loc, map, used);
    return affine::AffineMaxOp::create(builder, loc, map, used);
  });
}

AffineExpr Asker::buildSelect(const Array &expr) {
  Answer condition = decide(*expr[1].getAsArray());
  if (condition == Answer::Yes)
    return build(expr[2]);
  if (condition == Answer::No)
    return build(expr[3]);
  AffineExpr a = build(expr[2]), b = build(expr[3]);
  if (condition == Answer::Undefined || !a || !b)
    return {};
  std::string kind;
  llvm::raw_string_ostream(kind) << "select " << expr[1];
  return getOrMake(kind, {a, b}, [&]() -> Value {
    // ValueBounds does not look at the condition.
    Value flag = function->getBody().front().addArgument(builder.getI1Type(),
                                                         function->getLoc());
    return arith::SelectOp::create(builder, builder.getUnknownLoc(), flag,
                                   materialize(a), materialize(b));
  });
}

AffineExpr Asker::getOrMake(StringRef kind, ArrayRef<AffineExpr> operands,
                            function_ref<Value()> make) {
  std::vector<const void *> key;
  for (AffineExpr operand : operands)
    key.push_back(operand.getAsOpaquePointer());
  auto [entry, isNew] = made.try_emplace({kind.str(), std::move(key)});
  if (isNew)
    entry->second = makeSymbol(make());
  return entry->second;
}

AffineExpr Asker::makeAffine(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr a = makeAffine(binary.getLHS()), b = makeAffine(binary.getRHS());
  AffineExprKind kind = expr.getKind();
  if (kind == AffineExprKind::Add || isa<AffineConstantExpr>(b))
    return getAffineBinaryOpExpr(kind, a, b);
  return getOrMake(llvm::utostr(unsigned(kind)), {a, b},
                   [&]() { return makeOp(kind, a, b); });
}

Value Asker::makeOp(AffineExprKind kind, AffineExpr a, AffineExpr b) {
  Location loc = builder.getUnknownLoc();
  Value lhs = materialize(a), rhs = materialize(b);
  switch (kind) {
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return arith::CeilDivSIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::Mod:
    // For ValueBounds the divisor is positive, or nothing is possible.
    if (!prove(b, Relation::GT))
      return arith::RemSIOp::create(builder, loc, lhs, rhs);
    return affine::AffineApplyOp::create(
        builder, loc, AffineMap::get(0, 2, symbolExpr(0) % symbolExpr(1)),
        ValueRange{lhs, rhs});
  default:
    llvm_unreachable("is affine");
  }
}

std::pair<AffineMap, SmallVector<Value>>
Asker::makeMap(ArrayRef<AffineExpr> exprs) {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : exprs)
    results.push_back(makeAffine(simplifyAffineExpr(expr, 0, values.size())));
  AffineMap map =
      AffineMap::get(0, values.size(), results, builder.getContext());
  SmallVector<Value> used(values);
  affine::canonicalizeMapAndOperands(&map, &used);
  return {map, used};
}

ValueBoundsConstraintSet::Variable Asker::makeVariable(AffineExpr expr) {
  auto [map, used] = makeMap(expr);
  return {map, ValueRange(used)};
}

Value Asker::materialize(AffineExpr expr) {
  auto [map, used] = makeMap(expr);
  return affine::AffineApplyOp::create(builder, builder.getUnknownLoc(), map,
                                       used);
}

/// The answer and the least time of five runs.
Object ask(MLIRContext *context, const Object &question) {
  using Clock = std::chrono::steady_clock;
  std::chrono::duration<double, std::micro> least(1e9);
  StringRef answer;
  for (int run = 0; run < 5; ++run) {
    Asker asker(context, question);
    Clock::time_point start = Clock::now();
    answer = asker.answer();
    least = std::min<decltype(least)>(least, Clock::now() - start);
  }
  return Object{{"answer", answer}, {"microseconds", least.count()}};
}

int fail(const llvm::Twine &message) {
  llvm::errs() << "tally-value-bounds: " << message << "\n";
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return fail("QUESTIONS.json ANSWERS.json");
  auto buffer = llvm::MemoryBuffer::getFile(argv[1]);
  if (!buffer)
    return fail(argv[1] + llvm::Twine(": ") + buffer.getError().message());
  auto questions = llvm::json::parse((*buffer)->getBuffer());
  if (!questions)
    return fail(toString(questions.takeError()));

  DialectRegistry registry;
  registry
      .insert<affine::AffineDialect, arith::ArithDialect, func::FuncDialect>();
  affine::registerValueBoundsOpInterfaceExternalModels(registry);
  arith::registerValueBoundsOpInterfaceExternalModels(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();

  Object answers;
  for (const llvm::json::Value &question : *questions->getAsArray()) {
    const Object &object = *question.getAsObject();
    answers[*object.getString("key")] = ask(&context, object);
  }
  std::error_code error;
  llvm::raw_fd_ostream out(argv[2], error);
  if (error)
    return fail(argv[2] + llvm::Twine(": ") + error.message());
  out << llvm::formatv("{0:1}\n", llvm::json::Value(Object{
                                      {"MLIR ValueBounds", std::move(answers)},
                                  }));
  return 0;
}
