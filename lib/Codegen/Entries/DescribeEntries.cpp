//===- DescribeEntries.cpp - Signatures as the user knows them ------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Utils.h"
#include "tally/Codegen/Entries/Passes.h"
#include "tally/Codegen/Entries/Transforms.h"
#include "tally/IR/Signatures.h"
#include "tally/IR/Tally.h"

#include "llvm/ADT/StringMap.h"

namespace tally {
#define GEN_PASS_DEF_DESCRIBEENTRIES
#include "tally/Codegen/Entries/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally::codegen;

/// Describes an argument or a result; `attributes` may be null.
static FailureOr<DictionaryAttr> describeValue(func::FuncOp function, Type type,
                                               DictionaryAttr attributes,
                                               const Twine &what,
                                               const Twine &defaultName) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tally::isPassable(tensor ? tensor.getElementType() : type) ||
      (tensor && tensor.getEncoding())) {
    function.emitError() << what << " of type " << type
                         << " cannot be passed through the C interface";
    return failure();
  }
  Builder builder(function.getContext());
  auto get = [&](StringRef name) {
    return attributes ? attributes.get(name) : Attribute();
  };
  SmallVector<Attribute> sizes;
  auto shape =
      dyn_cast_or_null<tally::ShapeAttr>(get(tally::attr_names::kShape));
  for (int64_t dim = 0; tensor && dim < tensor.getRank(); ++dim) {
    if (shape)
      sizes.push_back(builder.getStringAttr(shape.getSizes()[dim].getText()));
    else if (tensor.isDynamicDim(dim))
      sizes.push_back(builder.getStringAttr("?"));
    else
      sizes.push_back(builder.getStringAttr(Twine(tensor.getDimSize(dim))));
  }
  NamedAttrList entry;
  auto name = dyn_cast_or_null<StringAttr>(get(tally::attr_names::kName));
  entry.set(tally::entry_keys::kName,
            name ? name : builder.getStringAttr(defaultName));
  entry.set(tally::entry_keys::kType, TypeAttr::get(type));
  if (auto value =
          dyn_cast_or_null<tally::ExprAttr>(get(tally::attr_names::kValue)))
    entry.set(tally::entry_keys::kValue,
              builder.getStringAttr(value.getText()));
  if (get(tally::attr_names::kUnsigned))
    entry.set(tally::entry_keys::kUnsigned, builder.getUnitAttr());
  if (get(tally::attr_names::kComplex)) {
    sizes.pop_back();
    entry.set(tally::entry_keys::kComplex, builder.getUnitAttr());
  }
  entry.set(tally::entry_keys::kShape, builder.getArrayAttr(sizes));
  if (get(tally::attr_names::kState))
    entry.set(tally::entry_keys::kState, builder.getUnitAttr());
  if (auto path =
          dyn_cast_or_null<tally::PathAttr>(get(tally::attr_names::kHidden))) {
    bool isStride = path.getKind() == tally::KeyPathKind::Stride;
    int64_t dim = isStride ? int64_t(path.getDim()) : -1;
    entry.set(tally::entry_keys::kHidden,
              builder.getDenseI64ArrayAttr({int64_t(path.getArgument()), dim}));
  }
  if (auto mutates =
          dyn_cast_or_null<IntegerAttr>(get(tally::attr_names::kMutates)))
    entry.set(tally::entry_keys::kMutates,
              builder.getI64IntegerAttr(mutates.getInt()));
  return entry.getDictionary(function.getContext());
}

/// Describes the arguments or the results of a function.
static FailureOr<ArrayAttr> describeValues(func::FuncOp function,
                                           TypeRange types,
                                           ArrayAttr attributes, StringRef what,
                                           StringRef namePrefix) {
  SmallVector<Attribute> values;
  for (auto [index, type] : llvm::enumerate(types)) {
    auto dictionary =
        attributes ? cast<DictionaryAttr>(attributes[index]) : DictionaryAttr();
    FailureOr<DictionaryAttr> value =
        describeValue(function, type, dictionary, what + " " + Twine(index),
                      namePrefix + Twine(index));
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  return ArrayAttr::get(function.getContext(), values);
}

/// Removes Tally's attributes from arguments or results.
static ArrayAttr withoutTallyAttrs(ArrayAttr attributes) {
  if (!attributes)
    return attributes;
  SmallVector<Attribute> kept;
  for (auto dictionary : attributes.getAsRange<DictionaryAttr>()) {
    NamedAttrList list;
    for (NamedAttribute attr : dictionary)
      if (!attr.getName().getValue().starts_with("tally."))
        list.append(attr);
    kept.push_back(list.getDictionary(attributes.getContext()));
  }
  return ArrayAttr::get(attributes.getContext(), kept);
}

/// Where symbols come from, by name: what `tally.symbol` says, else the first
/// argument that is one or has a size that is.
static llvm::StringMap<std::string> findSources(func::FuncOp function,
                                                ArrayAttr arguments) {
  llvm::StringMap<std::string> sources;
  function.walk([&](tally::SymbolOp symbol) {
    if (std::optional<StringRef> origin = symbol.getOrigin())
      sources.try_emplace(symbol.getName(), origin->str());
  });
  for (auto argument : arguments.getAsRange<DictionaryAttr>()) {
    if (tally::isHidden(argument))
      continue;
    StringRef name =
        argument.getAs<StringAttr>(tally::entry_keys::kName).getValue();
    auto shape = argument.getAs<ArrayAttr>(tally::entry_keys::kShape);
    for (auto [dim, size] : llvm::enumerate(shape.getAsRange<StringAttr>()))
      sources.try_emplace(size.getValue(),
                          (name + ".size(" + Twine(dim) + ")").str());
    if (auto value = argument.getAs<StringAttr>(tally::entry_keys::kValue))
      sources.try_emplace(value.getValue(), name.str());
  }
  return sources;
}

/// The table of a function, in which every symbol has its source, as far as it
/// is known.
static tally::SymbolsAttr
addSources(tally::SymbolsAttr table,
           const llvm::StringMap<std::string> &known) {
  SmallVector<tally::SymbolDeclAttr> symbols;
  for (tally::SymbolDeclAttr symbol : table.getSymbols()) {
    auto source = known.find(symbol.getName());
    if (symbol.getSource().empty() && source != known.end())
      symbol = tally::SymbolDeclAttr::get(
          table.getContext(), symbol.getName(), symbol.getUnbacked(),
          symbol.getType(), symbol.getLower(), symbol.getUpper(),
          symbol.getDivisor(), symbol.getHint(), source->second,
          symbol.getAssumed());
    symbols.push_back(symbol);
  }
  return tally::SymbolsAttr::get(table.getContext(), symbols);
}

/// An argument is written back to once. The verifier of the dialect has seen to
/// it that it is there, and has the type of the result.
static LogicalResult checkMutations(func::FuncOp function, ArrayAttr results) {
  llvm::SmallDenseSet<int64_t> targets;
  for (auto [index, attr] :
       llvm::enumerate(results.getAsRange<DictionaryAttr>())) {
    auto mutates = attr.getAs<IntegerAttr>(tally::entry_keys::kMutates);
    if (!mutates)
      continue;
    int64_t target = mutates.getInt();
    if (!targets.insert(target).second)
      return function.emitError()
             << "result " << index << " is written back to argument " << target
             << ", which another result is written back to already";
    if (!isa<RankedTensorType>(function.getArgumentTypes()[target]))
      return function.emitError()
             << "result " << index << " cannot be written back to argument "
             << target << ", which is no tensor";
  }
  return success();
}

static LogicalResult describe(func::FuncOp function) {
  FailureOr<ArrayAttr> arguments =
      describeValues(function, function.getArgumentTypes(),
                     function.getArgAttrsAttr(), "argument", "arg");
  if (failed(arguments))
    return failure();
  FailureOr<ArrayAttr> results =
      describeValues(function, function.getResultTypes(),
                     function.getResAttrsAttr(), "result", "out");
  if (failed(results) || failed(checkMutations(function, *results)))
    return failure();
  NamedAttrList entry;
  entry.set(tally::entry_keys::kArguments, *arguments);
  entry.set(tally::entry_keys::kResults, *results);
  if (tally::SymbolsAttr symbols = tally::SymbolsAttr::get(function))
    entry.set(tally::entry_keys::kSymbols,
              addSources(symbols, findSources(function, *arguments)));
  if (Attribute initial =
          function->removeAttr(tally::attr_names::kInitialState))
    entry.set(tally::entry_keys::kInitialState, initial);
  function->setAttr(tally::attr_names::kEntry,
                    entry.getDictionary(function.getContext()));
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isa<TensorType>(type))
      function.setArgAttr(index, "bufferization.writable",
                          BoolAttr::get(function.getContext(), false));
  return success();
}

/// Names mean nothing once the table of the function has gone.
static LogicalResult verifyIsBound(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    std::string name = tally::getMentionedName(op);
    if (name.empty())
      return WalkResult::advance();
    op->emitOpError() << "mentions '" << name
                      << "' by name: the program is in the named form; run "
                         "'tally-check-pipeline' first, which gives names "
                         "values";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static void eraseSignature(func::FuncOp function) {
  function->removeAttr(tally::SymbolsAttr::attrName);
  if (ArrayAttr attrs = withoutTallyAttrs(function.getArgAttrsAttr()))
    function.setArgAttrsAttr(attrs);
  if (ArrayAttr attrs = withoutTallyAttrs(function.getResAttrsAttr()))
    function.setResAttrsAttr(attrs);
}

LogicalResult tally::describeEntries(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (failed(verifyIsBound(function)))
      return failure();
    if (function.isPublic() && !function.isExternal() &&
        failed(describe(function)))
      return failure();
    eraseSignature(function);
  }
  return success();
}

namespace {
struct DescribeEntriesPass
    : tally::impl::DescribeEntriesBase<DescribeEntriesPass> {
  void runOnOperation() override {
    if (failed(tally::describeEntries(getOperation())))
      signalPassFailure();
  }
};

} // namespace
