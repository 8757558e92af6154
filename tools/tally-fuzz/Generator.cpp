//===- Generator.cpp - Random programs ------------------------------------===//

#include "Generator.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tally/IR/Tally.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tally::fuzz;
using tally::run::Array;

Generator::Generator(MLIRContext *context, uint64_t seed)
    : context(context), random(seed), b(UnknownLoc::get(context), context) {}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Decides how large everything is in each call: usual sizes, then ones with
/// 0 and 1 in them.
Quantity Generator::makeSymbol() {
  Quantity symbol;
  symbol.id = nextId++;
  for (unsigned call = 0; call < numCalls; ++call) {
    int64_t value = random.in(1, 5);
    if (call == 1 && random.chance(60))
      value = 1;
    if (call == 2 && random.chance(40))
      value = random.in(0, 7);
    if (call == 3 && random.chance(30))
      value = 0;
    symbol.calls.push_back({value, value});
  }
  return symbol;
}

void Generator::planCalls() {
  bool hasEmpty = random.chance(50);
  for (int64_t i = random.in(1, 3); i > 0; --i) {
    Quantity symbol = makeSymbol();
    for (Interval &call : symbol.calls)
      if (call.low == 0 && !hasEmpty)
        call = {2, 2};
    int64_t low = std::max<int64_t>(0, symbol.getMin() - random.in(0, 2));
    int64_t high = symbol.getMax() + random.in(0, 3);
    std::string range;
    switch (random.below(4)) {
    case 0:
      break;
    case 1:
      range = " : [" + std::to_string(low) + ", " + std::to_string(high) + "]";
      break;
    default:
      range = " : [" + std::to_string(low) + ", 4096]";
      break;
    }
    int64_t divisor = random.in(2, 3);
    if (random.chance(15)) {
      for (Interval &call : symbol.calls) {
        int64_t value = std::min<int64_t>(call.low, 2) * divisor;
        call = {value, value};
      }
      range = " : [0, 64] % " + std::to_string(divisor);
    }
    symbols.push_back(symbol);
    symbolRanges.push_back(range);
  }
}

Type Generator::randomElementType() {
  switch (random.below(14)) {
  case 0:
    return b.getI1Type();
  case 1:
    return b.getI8Type();
  case 2:
    return b.getIntegerType(16);
  case 3:
    return b.getI32Type();
  case 4:
  case 5:
  case 6:
    return b.getI64Type();
  case 7:
    return b.getF16Type();
  case 8:
    return b.getBF16Type();
  case 9:
    return b.getF64Type();
  default:
    return b.getF32Type();
  }
}

/// A size and how it is written with symbols.
Quantity Generator::randomArgumentSize(std::string &text) {
  if (random.chance(15)) {
    int64_t value = random.in(0, 4);
    text = std::to_string(value);
    return constant(value);
  }
  unsigned i = random.below(symbols.size());
  text = "s" + std::to_string(i);
  if (random.chance(12)) {
    text += " + 1";
    return combine(symbols[i], constant(1), std::plus<int64_t>());
  }
  if (random.chance(8)) {
    text = "2 * " + text;
    return combine(symbols[i], constant(2), std::multiplies<int64_t>());
  }
  return symbols[i];
}

void Generator::addTensorArgument() {
  Argument argument;
  SmallVector<int64_t> sizes;
  for (int64_t rank = random.pick({0, 1, 1, 1, 2, 2, 2, 3, 3}); rank > 0;
       --rank) {
    std::string text;
    Quantity size = randomArgumentSize(text);
    sizes.push_back(size.getConstant().value_or(ShapedType::kDynamic));
    argument.item.shape.push_back(size);
    argument.texts.push_back(text);
  }
  Type element = randomElementType();
  argument.isSmall = random.chance(50);
  argument.item.value = main.getBody().addArgument(
      RankedTensorType::get(sizes, element), b.getLoc());
  arguments.push_back(argument);
}

void Generator::addScalarArgument() {
  Argument argument;
  Type type = random.chance(60) ? Type(b.getIndexType()) : randomElementType();
  argument.item.value = main.getBody().addArgument(type, b.getLoc());
  if (type.isIndex()) {
    unsigned i = random.below(symbols.size());
    argument.item.number = symbols[i];
    argument.texts.push_back("s" + std::to_string(i));
    if (random.chance(50)) {
      // A value of its own.
      argument.item.number = makeSymbol();
      argument.texts.clear();
    }
  }
  arguments.push_back(argument);
}

/// Writes the symbols down, where each of them can be read.
void Generator::annotateMain(func::FuncOp function) {
  std::string table = "#tally.symbols<";
  SmallVector<bool> isRead(symbols.size());
  for (const Argument &argument : arguments)
    for (StringRef text : argument.texts) {
      size_t at = text.find('s');
      if (at != StringRef::npos)
        isRead[text[at + 1] - '0'] = true;
    }
  if (llvm::is_contained(isRead, false))
    return;
  for (size_t i = 0; i < symbols.size(); ++i)
    table += (i ? ", s" : "s") + std::to_string(i) + symbolRanges[i];
  Attribute attribute = parseAttribute(table + ">", context);
  function->setAttr("tally.symbols", attribute);
  isNamed = true;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    if (argument.texts.empty())
      continue;
    std::string text = "#tally.shape<";
    for (auto [dim, size] : llvm::enumerate(argument.texts))
      text += (dim ? ", " : "") + size;
    StringRef name = "tally.shape";
    if (!argument.item.isTensor()) {
      name = "tally.value";
      text = "#tally.expr<" + argument.texts.front();
    }
    function.setArgAttr(index, name, parseAttribute(text + ">", context));
  }
}

//===----------------------------------------------------------------------===//
// What programs are called with
//===----------------------------------------------------------------------===//

static void fillFloats(Array &array, Random &random, bool isTame) {
  bool isOdd = !isTame && random.chance(10);
  for (int64_t i = 0; i < array.getNumElements(); ++i) {
    double value = static_cast<double>(random.in(-8, 8)) / 2;
    if (isTame && random.chance(50))
      value = static_cast<double>(random.in(-4000, 4000)) / 1000;
    if (isOdd && random.chance(30))
      value = random.pick({std::nan(""), HUGE_VAL, -HUGE_VAL, -0.0, 1e30, 1e-40,
                           65504.0, 3e-8});
    array.setFloat(i, value);
  }
}

static void fillIntegers(Array &array, Random &random, bool isSmall) {
  bool isOdd = !isSmall && random.chance(20);
  for (int64_t i = 0; i < array.getNumElements(); ++i) {
    int64_t value = isSmall ? random.in(0, 3) : random.in(-9, 20);
    if (array.getType().code == kDLBool)
      value &= 1;
    else if (isOdd && random.chance(30))
      value = random.chance(50) ? INT64_MIN >> (64 - array.getType().bits)
                                : INT64_MAX >> (64 - array.getType().bits);
    array.setInt(i, value);
  }
}

/// One argument of a call; the last call changes one size or index.
Array Generator::makeInput(const Item &item, unsigned call, unsigned position) {
  bool isPlanned = call < numCalls;
  unsigned plan = isPlanned ? call : random.below(2);
  SmallVector<int64_t> shape;
  for (const Quantity &size : item.shape) {
    int64_t value = size.calls[plan].low;
    if (!isPlanned && !size.getConstant() && random.chance(25))
      value = std::max<int64_t>(0, value + random.in(-1, 1));
    shape.push_back(value);
  }
  Array array = makeArray(getDataType(item.getElementType()), shape);
  if (item.isIndex()) {
    int64_t value = item.number.calls[plan].low;
    if (!isPlanned && random.chance(40))
      value = random.in(-2, 9);
    array.setInt(0, value);
  } else if (run::isFloat(array.getType())) {
    fillFloats(array, random, allowInexact);
  } else {
    fillIntegers(array, random, arguments[position].isSmall);
  }
  return array;
}

void Generator::fillArguments(FuzzProgram &program) {
  for (unsigned call = 0; call <= numCalls; ++call) {
    std::vector<Array> &inputs = program.calls.emplace_back();
    for (auto [index, argument] : llvm::enumerate(arguments))
      inputs.push_back(makeInput(argument.item, call, index));
  }
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

ArrayRef<std::pair<Generator::Emitter, unsigned>> Generator::getEmitters() {
  static const std::pair<Emitter, unsigned> emitters[] = {
      {&Generator::emitGeneric, 24},
      {&Generator::emitElementwise, 3},
      {&Generator::emitNamedElementwise, 3},
      {&Generator::emitFill, 2},
      {&Generator::emitTranspose, 3},
      {&Generator::emitBroadcast, 3},
      {&Generator::emitReduce, 4},
      {&Generator::emitMap, 3},
      {&Generator::emitMatmul, 4},
      {&Generator::emitConvolution, 2},
      {&Generator::emitPooling, 2},
      {&Generator::emitAccumulateThenSpread, 2},
      {&Generator::emitRows, 4},
      {&Generator::emitLookup, 4},
      {&Generator::emitExtractSlice, 6},
      {&Generator::emitInsertSlice, 6},
      {&Generator::emitCollapse, 3},
      {&Generator::emitExpand, 3},
      {&Generator::emitReshape, 1},
      {&Generator::emitPad, 4},
      {&Generator::emitConcat, 4},
      {&Generator::emitCast, 2},
      {&Generator::emitDim, 3},
      {&Generator::emitFromElements, 3},
      {&Generator::emitExtract, 4},
      {&Generator::emitInsert, 4},
      {&Generator::emitGather, 2},
      {&Generator::emitGenerate, 2},
      {&Generator::emitSelectTensor, 2},
      {&Generator::emitScalar, 4},
      {&Generator::emitIndex, 6},
      {&Generator::emitSymbolicSize, 3},
      {&Generator::emitSymbolicNumber, 6},
      {&Generator::emitCheck, 2},
      {&Generator::emitFor, 6},
      {&Generator::emitWhile, 3},
      {&Generator::emitIf, 5},
      {&Generator::emitCond, 4},
      {&Generator::emitSwitch, 2},
      {&Generator::emitCall, 4},
      {&Generator::emitNonzero, 2},
      {&Generator::emitMaskedSelect, 3},
      {&Generator::emitUnique, 2},
      {&Generator::emitRepeatInterleave, 2},
      {&Generator::emitBincount, 2},
      {&Generator::emitSlice, 4},
      {&Generator::emitSelect, 3},
      {&Generator::emitSplit, 2},
      {&Generator::emitItem, 3},
  };
  return emitters;
}

void Generator::emitSome(unsigned count) {
  static const unsigned total = [] {
    unsigned sum = 0;
    for (auto [emitter, weight] : getEmitters())
      sum += weight;
    return sum;
  }();
  for (unsigned tries = 4 * count; count > 0 && tries > 0 && budget > 0;
       --tries) {
    unsigned chosen = random.below(total);
    for (auto [emitter, weight] : getEmitters()) {
      if (chosen >= weight) {
        chosen -= weight;
        continue;
      }
      if ((this->*emitter)()) {
        --count;
        --budget;
      }
      break;
    }
  }
}

/// Returns what nothing else uses, and some of the rest.
void Generator::emitReturn() {
  SmallVector<Value> results;
  for (const Item &item : llvm::reverse(pool))
    if (results.size() < 5 && item.value.use_empty() &&
        item.value.getDefiningOp())
      results.push_back(item.value);
  if (results.empty() || random.chance(20))
    results.push_back(random.pick(pool).value);
  func::ReturnOp::create(b, results);
  main.setFunctionType(b.getFunctionType(main.getBody().getArgumentTypes(),
                                         TypeRange(ValueRange(results))));
}

FuzzProgram Generator::generate() {
  allowInexact = random.chance(35);
  FuzzProgram program;
  program.module = ModuleOp::create(b.getLoc());
  module = *program.module;
  b.setInsertionPointToStart(module.getBody());
  main = func::FuncOp::create(b, "main", b.getFunctionType({}, {}));
  main.addEntryBlock();
  planCalls();
  for (int64_t i = random.in(1, 4); i > 0; --i)
    addTensorArgument();
  for (int64_t i = random.below(3); i > 0; --i)
    addScalarArgument();
  for (const Argument &argument : arguments)
    pool.push_back(argument.item);
  main.setFunctionType(
      b.getFunctionType(main.getBody().getArgumentTypes(), {}));
  if (random.chance(55))
    annotateMain(main);
  b.setInsertionPointToStart(&main.getBody().front());
  budget = 24;
  emitSome(random.in(2, 10));
  emitReturn();
  fillArguments(program);
  return program;
}
