//===- TallyDialect.cpp - The tally dialect -------------------------------===//

#include "tally/IR/Tally.h"

#include "Bytecode.h"
#include "DiscardableAttrs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/InliningUtils.h"
#include "tally/IR/TallyFFTOps.h"
#include "tally/IR/TallyLinearAlgebraOps.h"
#include "tally/IR/TallyScanOps.h"
#include "tally/Symbolic/Text/Parser.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tally;

#include "tally/IR/TallyDialect.cpp.inc"

//===----------------------------------------------------------------------===//
// Inlining
//===----------------------------------------------------------------------===//

namespace {
/// Names belong to the table of a function: what mentions one stays in it until
/// it has been bound.
struct TallyInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *callable, bool) const final {
    return !callable->hasAttr("no_inline");
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Operation *op, Region *, bool, IRMapping &) const final {
    return getMentionedName(op).empty();
  }
};
} // namespace

void TallyDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tally/IR/TallyOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tally/IR/TallyScanOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tally/IR/TallyLinearAlgebraOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tally/IR/TallyFFTOps.cpp.inc"
      >();
  addInterfaces<TallyInlinerInterface>();
  detail::addBytecodeInterface(*this);
}

Operation *TallyDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===----------------------------------------------------------------------===//
// Attributes of functions, arguments and results
//===----------------------------------------------------------------------===//

/// Verifies that an expression has a meaning with the names of the function's
/// table, and returns its type.
static FailureOr<symbolic::SymbolType>
verifyExpr(FunctionOpInterface function, ExprAttr expr, const Twine &where) {
  SymbolsAttr table = SymbolsAttr::get(function);
  symbolic::ExprContext context;
  std::string unknown;
  symbolic::ParseResult parsed =
      symbolic::parseExpr(expr.getText(), context, [&](StringRef name) {
        SymbolDeclAttr decl = table ? table.lookup(name) : SymbolDeclAttr();
        if (decl)
          return context.symbol(name, getEngineType(decl.getType()));
        if (unknown.empty())
          unknown = name.str();
        return context.symbol(name);
      });
  if (!unknown.empty()) {
    InFlightDiagnostic diagnostic = function.emitError()
                                    << "unknown symbol '" << unknown << "' in "
                                    << where;
    tally::detail::describeDeclared(diagnostic, table);
    return diagnostic;
  }
  if (!parsed)
    return function.emitError()
           << "in expression '" << expr.getText() << "' of " << where << ": "
           << parsed.errorMessage;
  return parsed.expr.getType();
}

/// Verifies a `tally.shape` against the type it describes.
static LogicalResult verifyShape(FunctionOpInterface function, Attribute attr,
                                 Type type, const Twine &where) {
  auto shape = dyn_cast<ShapeAttr>(attr);
  if (!shape)
    return function.emitError()
           << "'tally.shape' of " << where << " must be a #tally.shape";
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return function.emitError() << "'tally.shape' of " << where
                                << " needs a ranked tensor, not " << type;
  int64_t rank = tensor.getRank();
  if (rank != static_cast<int64_t>(shape.getSizes().size()))
    return function.emitError()
           << "'tally.shape' of " << where << " has " << shape.getSizes().size()
           << " sizes for a tensor of rank " << rank;
  for (ExprAttr size : shape.getSizes()) {
    FailureOr<symbolic::SymbolType> sizeType =
        verifyExpr(function, size, where);
    if (failed(sizeType))
      return failure();
    if (*sizeType != symbolic::SymbolType::Int)
      return function.emitError()
             << "'tally.shape' of " << where << " has '" << size.getText()
             << "' as a size, which is no integer";
  }
  return success();
}

/// Verifies a `tally.value` against the type it describes: a scalar or a tensor
/// of rank 0. A boolean may be read as the integer 0 or 1.
static LogicalResult verifyValue(FunctionOpInterface function, Attribute attr,
                                 Type type, const Twine &where) {
  auto expr = dyn_cast<ExprAttr>(attr);
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type scalar = tensor ? tensor.getElementType() : type;
  constexpr unsigned maxWidth = 64;
  if (!expr || (tensor && tensor.getRank() != 0) ||
      !scalar.isIntOrIndexOrFloat() ||
      (!scalar.isIndex() && scalar.getIntOrFloatBitWidth() > maxWidth))
    return function.emitError()
           << "'tally.value' of " << where
           << " must be a #tally.expr on a scalar of at most 64 bits, or on a "
              "tensor of rank 0";
  FailureOr<symbolic::SymbolType> exprType = verifyExpr(function, expr, where);
  if (failed(exprType))
    return failure();
  bool fits = *exprType == symbolic::SymbolType::Float ? isa<FloatType>(scalar)
              : *exprType == symbolic::SymbolType::Bool
                  ? scalar.isInteger(1)
                  : !isa<FloatType>(scalar);
  if (fits)
    return success();
  StringRef noun = *exprType == symbolic::SymbolType::Float  ? "the float"
                   : *exprType == symbolic::SymbolType::Bool ? "the boolean"
                                                             : "the integer";
  return function.emitError()
         << "'tally.value' of " << where << ": a " << type << " cannot be "
         << noun << " '" << expr.getText() << "'";
}

/// Verifies that a hidden argument is one that the entry of a compiled function
/// can fill, and that nobody else would have to.
static LogicalResult verifyHidden(FunctionOpInterface function, unsigned index,
                                  Attribute attr) {
  auto emitError = [&] {
    return function.emitError()
           << "'tally.hidden' of argument " << index << ": ";
  };
  auto path = dyn_cast<PathAttr>(attr);
  if (!path || (path.getKind() != KeyPathKind::Stride &&
                path.getKind() != KeyPathKind::StorageOffset))
    return emitError() << "expected a #tally.path to the stride or the "
                          "storage_offset of a tensor argument";
  ArrayRef<Type> types = function.getArgumentTypes();
  if (!types[index].isIndex())
    return emitError() << "needs an index, not " << types[index];
  unsigned argument = path.getArgument();
  auto tensor = argument < types.size() ? dyn_cast<ShapedType>(types[argument])
                                        : ShapedType();
  if (!tensor || !tensor.hasRank())
    return emitError() << "argument " << argument << " is no ranked tensor";
  if (path.getKind() == KeyPathKind::Stride &&
      path.getDim() >= tensor.getRank())
    return emitError() << "argument " << argument << " has no dimension "
                       << path.getDim();
  for (unsigned next = index + 1; next < types.size(); ++next)
    if (!function.getArgAttr(next, attr_names::kHidden))
      return emitError() << "argument " << next
                         << " is not hidden, and stands behind it; move hidden "
                            "arguments to the end";
  for (NamedAttribute other : function.getArgAttrs(index))
    if (!llvm::is_contained({StringRef(attr_names::kHidden),
                             StringRef(attr_names::kName),
                             StringRef(attr_names::kValue)},
                            other.getName().getValue()))
      return emitError() << "the argument cannot have '"
                         << other.getName().getValue() << "' as well";
  auto visibility = dyn_cast<SymbolOpInterface>(function.getOperation());
  if (visibility && !visibility.isPublic())
    return emitError() << "only the entry of a public function fills it; pass "
                          "an ordinary index to a private one";
  return success();
}

/// Verifies that an argument is one whose value the entry of a compiled
/// function can keep.
static LogicalResult verifyState(FunctionOpInterface function, unsigned index,
                                 Attribute attr) {
  auto emitError = [&] {
    return function.emitError()
           << "'tally.state' of argument " << index << ": ";
  };
  if (!isa<UnitAttr>(attr))
    return emitError() << "expected a unit attribute, not " << attr;
  ArrayRef<Type> types = function.getArgumentTypes();
  auto tensor = dyn_cast<RankedTensorType>(types[index]);
  if (!tensor || !tensor.hasStaticShape())
    return emitError() << "needs a tensor of fixed sizes, not " << types[index];
  if (!function->hasAttr(attr_names::kInitialState))
    return emitError() << "the function does not say what its first value is; "
                          "name a function that returns it: "
                          "'tally.initial_state'";
  for (unsigned next = index + 1; next < types.size(); ++next)
    if (!function.getArgAttr(next, attr_names::kState) &&
        !function.getArgAttr(next, attr_names::kHidden))
      return emitError() << "argument " << next
                         << " is the caller's, and stands behind it; move "
                            "state behind the arguments of the caller";
  return success();
}

static LogicalResult verifyComplex(Operation *op, Attribute attr, Type type,
                                   StringRef where) {
  auto tensor = dyn_cast<ShapedType>(type);
  bool isPairs =
      tensor && tensor.hasRank() && tensor.getRank() > 0 &&
      tensor.getShape().back() == 2 &&
      (tensor.getElementType().isF32() || tensor.getElementType().isF64());
  if (!isa<UnitAttr>(attr) || !isPairs)
    return op->emitError()
           << "'tally.complex' of " << where
           << " must be a unit attribute of a tensor of f32 or f64 whose last "
              "dimension has size 2, not of a "
           << type;
  return success();
}

static LogicalResult verifyNameOrUnsigned(Operation *op, NamedAttribute attr,
                                          StringRef where) {
  if (attr.getName() == attr_names::kName && !isa<StringAttr>(attr.getValue()))
    return op->emitError() << "'tally.name' of " << where
                           << " must be a string";
  if (attr.getName() == attr_names::kUnsigned &&
      !isa<UnitAttr>(attr.getValue()))
    return op->emitError() << "'tally.unsigned' of " << where
                           << " must be a unit attribute";
  return success();
}

LogicalResult TallyDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attr) {
  return detail::verifyDiscardableAttr(op, attr);
}

LogicalResult TallyDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned index,
                                                     NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || index >= function.getNumArguments())
    return success();
  Type type = function.getArgumentTypes()[index];
  std::string where = "argument " + std::to_string(index);
  using namespace attr_names;
  if (failed(detail::verifyIsKnown(
          op, attr.getName(),
          {kShape, kValue, kName, kHidden, kState, kUnsigned, kComplex},
          where)))
    return failure();
  if (attr.getName() == attr_names::kShape)
    return verifyShape(function, attr.getValue(), type, where);
  if (attr.getName() == attr_names::kValue)
    return verifyValue(function, attr.getValue(), type, where);
  if (attr.getName() == attr_names::kHidden)
    return verifyHidden(function, index, attr.getValue());
  if (attr.getName() == attr_names::kState)
    return verifyState(function, index, attr.getValue());
  if (attr.getName() == attr_names::kComplex)
    return verifyComplex(op, attr.getValue(), type, where);
  return verifyNameOrUnsigned(op, attr, where);
}

LogicalResult TallyDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                        unsigned index,
                                                        NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || index >= function.getNumResults())
    return success();
  Type type = function.getResultTypes()[index];
  std::string where = "result " + std::to_string(index);
  using namespace attr_names;
  if (failed(detail::verifyIsKnown(
          op, attr.getName(), {kShape, kName, kUnsigned, kComplex, kMutates},
          where)))
    return failure();
  if (attr.getName() == attr_names::kComplex)
    return verifyComplex(op, attr.getValue(), type, where);
  if (attr.getName() == attr_names::kShape)
    return verifyShape(function, attr.getValue(), type, where);
  if (attr.getName() != attr_names::kMutates)
    return verifyNameOrUnsigned(op, attr, where);
  auto argument = dyn_cast<IntegerAttr>(attr.getValue());
  if (!argument || argument.getInt() < 0 ||
      argument.getInt() >= static_cast<int64_t>(function.getNumArguments()))
    return op->emitError() << "'tally.mutates' of " << where
                           << " must be the number of an argument";
  if (function.getArgumentTypes()[argument.getInt()] != type)
    return op->emitError() << "'tally.mutates' of " << where << ": argument "
                           << argument.getInt() << " has another type";
  return success();
}
