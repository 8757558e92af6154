//===- Importer.cpp - The import of a whole program -----------------------===//
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "ComplexPairs.h"
#include "Lowering.h"
#include "Symbols.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "tally/IR/Operators.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tally {
namespace import_pt2 {

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

/// Returns true for a frame of PyTorch itself or of generated code.
static bool isUserFrame(StringRef file) {
  return file.starts_with("<") || file.contains("/torch/") ||
         file.contains("/functorch/");
}

/// The name of an operator among users: `add` for `aten.add.Tensor`.
static StringRef getShortName(StringRef target) {
  if (target.consume_front("aten."))
    return target.split('.').first;
  return target.rsplit('.').second.empty() ? target : target.rsplit('.').second;
}

Location ProgramImporter::getLocation(const Node &node) const {
  // Frames read `File "model.py", line 6, in forward`, innermost last.
  StringRef rest = node.stackTrace;
  std::optional<Location> innermost, users;
  while (true) {
    auto [before, after] = rest.split("File \"");
    if (after.empty())
      break;
    auto [file, tail] = after.split('"');
    rest = tail;
    unsigned line = 0;
    StringRef number = tail;
    if (!number.consume_front(", line ") || number.consumeInteger(10, line))
      continue;
    Location loc = FileLineColLoc::get(context, file, line, 1);
    innermost = loc;
    if (!isUserFrame(file))
      users = loc;
  }
  if (!users)
    users = innermost ? *innermost
                      : NameLoc::get(StringAttr::get(context, node.name));
  return getOperatorLoc(*users, getShortName(node.target));
}

//===----------------------------------------------------------------------===//
// Supported operators
//===----------------------------------------------------------------------===//

void ProgramImporter::collectUnsupported(const Graph &graph,
                                         UnsupportedNodes &missing) {
  for (const Node &node : graph.nodes) {
    bool isKnown = !node.isOnPairs && findOperator(node.target);
    if (!isKnown &&
        !LoweringTable::get(node.isOnPairs).lookup(node.target).lower &&
        !isUnusedRandom(node, graph))
      missing.insert({{node.target, node.isOnPairs}, &node});
    for (const NamedArgument &input : node.inputs)
      if (input.value.graph)
        collectUnsupported(*input.value.graph, missing);
  }
}

/// Names every operator that has no lowering at once.
LogicalResult ProgramImporter::checkTargets() {
  UnsupportedNodes missing;
  collectUnsupported(program.graph, missing);
  if (missing.empty())
    return success();
  InFlightDiagnostic diagnostic = emitError(getLocation());
  diagnostic << "the program uses " << missing.size()
             << (missing.size() == 1 ? " operator that is not supported: "
                                     : " operators that are not supported: ");
  auto describe = [](const auto &operation) {
    StringRef what = operation.second ? " on complex numbers" : "";
    return (operation.first + what).str();
  };
  llvm::interleaveComma(missing, diagnostic, [&](auto &entry) {
    diagnostic << describe(entry.first);
  });
  for (auto &[operation, node] : missing)
    diagnostic.attachNote(getLocation(*node))
        << describe(operation) << " is used here";
  return failure();
}

//===----------------------------------------------------------------------===//
// Main
//===----------------------------------------------------------------------===//

/// Symbols get their place in the table in the order of the arguments; those
/// that are an argument's size as they stand come first for each tensor.
LogicalResult ProgramImporter::declareInputSymbols(Function &function) {
  auto declareAll = [&](bool lone) {
    for (const InputSpec &spec : program.inputs) {
      if (spec.kind != InputSpec::Kind::User)
        continue;
      auto declare = [&](const SymInt &number, bool isSize) {
        bool isLone = StringRef(number.srepr).starts_with("Symbol(");
        if (isLone == lone)
          function.declareSymbols(number, isSize);
      };
      auto tensor = program.graph.tensors.find(spec.name);
      if (tensor != program.graph.tensors.end())
        for (const SymInt &size : tensor->second.sizes)
          declare(size, /*isSize=*/true);
      for (const auto *numbers :
           {&program.graph.ints, &program.graph.floats, &program.graph.bools})
        if (auto it = numbers->find(spec.name); it != numbers->end())
          declare(it->second, /*isSize=*/false);
    }
  };
  declareAll(/*lone=*/true);
  declareAll(/*lone=*/false);
  return success();
}

static DictionaryAttr getArgumentAttrs(MLIRContext *context, StringRef name,
                                       ShapeAttr shape, ExprAttr value,
                                       bool isUnsigned,
                                       bool isComplex = false) {
  NamedAttrList attrs;
  if (!name.empty())
    attrs.append(attr_names::kName, StringAttr::get(context, name));
  if (shape)
    attrs.append(attr_names::kShape, shape);
  if (value)
    attrs.append(attr_names::kValue, value);
  if (isUnsigned)
    attrs.append(attr_names::kUnsigned, UnitAttr::get(context));
  if (isComplex)
    attrs.append(attr_names::kComplex, UnitAttr::get(context));
  return attrs.getDictionary(context);
}

static ShapeAttr getShapeAttr(FunctionState &state, ArrayRef<Expr> sizes) {
  SmallVector<ExprAttr> attrs;
  for (Expr size : sizes)
    attrs.push_back(state.getAttr(size));
  return ShapeAttr::get(state.getContext(), attrs);
}

LogicalResult ProgramImporter::addTensorArgument(Function &function,
                                                 Block &block,
                                                 GraphScope &scope,
                                                 StringRef name,
                                                 const TensorMeta &meta) {
  FunctionState &state = function.state;
  Location loc = NameLoc::get(StringAttr::get(context, name));
  std::optional<Dtype> dtype = getDtype(meta.dtype);
  if (!dtype)
    return emitError(loc) << "the element type " << getDtypeName(meta.dtype)
                          << " of '" << name << "' is not supported";
  FailureOr<Sizes> sizes = function.getRecordedSizes(meta, loc);
  if (failed(sizes))
    return failure();
  Emitter emitter(state, loc, name);
  Tensor tensor =
      emitter.make(block.addArgument(emitter.tensorType(*sizes, *dtype), loc),
                   *dtype, *sizes);
  tensor.setRecorded(meta.sizes);
  ArgumentInfo info;
  info.name = name.str();
  info.slot = function.addTensor(tensor);
  info.attrs =
      getArgumentAttrs(context, name, getShapeAttr(state, *sizes), {},
                       *dtype == Dtype::U8, program.graph.pairs.contains(name));
  scope.values[name] = Binding{info.slot, Expr()};
  arguments.push_back(std::move(info));
  return success();
}

FailureOr<Expr> ProgramImporter::getScalarArgument(Function &function,
                                                   const InputSpec &spec,
                                                   Location loc) {
  for (const auto *scalars :
       {&program.graph.ints, &program.graph.floats, &program.graph.bools})
    if (auto it = scalars->find(spec.name); it != scalars->end())
      return function.getRecorded(it->second, loc);
  symbolic::ExprContext &exprs = function.state.exprs;
  switch (spec.value.kind) {
  case Argument::Kind::Int:
    return exprs.constant(spec.value.integer);
  case Argument::Kind::Float:
    return exprs.floatConstant(spec.value.real);
  case Argument::Kind::Bool:
    return exprs.boolean(spec.value.boolean);
  default:
    return Expr();
  }
}

LogicalResult ProgramImporter::addArgument(Function &function, Block &block,
                                           GraphScope &scope,
                                           const InputSpec &spec) {
  auto meta = program.graph.tensors.find(spec.name);
  if (spec.kind == InputSpec::Kind::User && meta != program.graph.tensors.end())
    return addTensorArgument(function, block, scope, spec.name, meta->second);
  Location loc = NameLoc::get(StringAttr::get(context, spec.name));
  FailureOr<Expr> scalar = getScalarArgument(function, spec, loc);
  if (failed(scalar))
    return failure();
  // None and strings cannot be anything else when the program runs.
  if (!*scalar)
    return success();
  // The value of a scalar is an expression, which the caller has to meet.
  Expr value = *scalar;
  Builder &b = function.state.builder;
  Type type = value.isFloat()  ? Type(b.getF64Type())
              : value.isBool() ? Type(b.getI1Type())
                               : Type(b.getI64Type());
  block.addArgument(type, loc);
  ArgumentInfo info;
  info.name = spec.name;
  info.attrs = getArgumentAttrs(context, spec.name, {},
                                function.state.getAttr(value), false);
  scope.values[spec.name] = Binding{-1, value};
  arguments.push_back(std::move(info));
  return success();
}

LogicalResult ProgramImporter::addResult(Function &function, GraphScope &scope,
                                         const Binding &binding, bool isComplex,
                                         std::optional<int64_t> mutates) {
  FunctionState &state = function.state;
  NamedAttrList attrs;
  Result result;
  static const Node returnNode = [] {
    Node node;
    node.target = "output";
    return node;
  }();
  Lowering lowering(function, scope, returnNode, getLocation());
  if (binding.isTensor()) {
    Tensor tensor = function.read(binding.slot, lowering);
    result.value = tensor.value;
    attrs.append(attr_names::kShape, getShapeAttr(state, tensor.sizes));
    if (tensor.dtype == Dtype::U8)
      attrs.append(attr_names::kUnsigned, UnitAttr::get(context));
    if (isComplex)
      attrs.append(attr_names::kComplex, UnitAttr::get(context));
  } else if (binding.scalar) {
    Expr number = binding.scalar;
    Dtype dtype = Operand::getScalarDtype(number);
    result.value = lowering.scalar(number, dtype);
  } else {
    return success();
  }
  if (mutates)
    attrs.append(attr_names::kMutates,
                 IntegerAttr::get(IntegerType::get(context, 64), *mutates));
  result.attrs = attrs.getDictionary(context);
  results.push_back(result);
  return failure(lowering.hasFailed());
}

LogicalResult ProgramImporter::buildResults(Function &function,
                                            GraphScope &scope,
                                            func::FuncOp main) {
  FailureOr<SmallVector<Binding>> outputs =
      function.getOutputs(scope, getLocation());
  if (failed(outputs))
    return failure();
  if (outputs->size() != program.outputs.size())
    return emitError(getLocation())
           << "the program has " << outputs->size() << " outputs, but "
           << program.outputs.size() << " are specified";
  auto isComplex = [&](const OutputSpec &spec) {
    return program.graph.pairs.contains(spec.value.text);
  };
  // The results of the user come first, then what is written back.
  for (auto [binding, spec] : llvm::zip(*outputs, program.outputs)) {
    if (spec.kind == OutputSpec::Kind::Other)
      return emitError(getLocation()) << "outputs of the kind '"
                                      << spec.kindName << "' are not supported";
    if (spec.kind == OutputSpec::Kind::User &&
        failed(
            addResult(function, scope, binding, isComplex(spec), std::nullopt)))
      return failure();
  }
  for (auto [binding, spec] : llvm::zip(*outputs, program.outputs)) {
    if (spec.kind != OutputSpec::Kind::InputMutation &&
        spec.kind != OutputSpec::Kind::BufferMutation)
      continue;
    for (auto [index, argument] : llvm::enumerate(arguments))
      if (argument.name == spec.target &&
          failed(addResult(function, scope, binding, isComplex(spec),
                           int64_t(index))))
        return failure();
  }
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (argument.slot >= 0 && function.getStorage(argument.slot).version > 0 &&
        failed(addResult(function, scope, Binding{argument.slot, Expr()},
                         argument.attrs.contains(attr_names::kComplex),
                         int64_t(index))))
      return failure();
  return success();
}

std::optional<ProgramImporter::Stride>
ProgramImporter::findStride(const Function &function, StringRef symbol) const {
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    auto meta = program.graph.tensors.find(argument.name);
    if (&function != main || argument.slot < 0 ||
        meta == program.graph.tensors.end())
      continue;
    for (auto [dim, stride] : llvm::enumerate(meta->second.strides))
      if (!stride.literal && getLoneSymbol(stride.srepr) == symbol)
        return Stride{unsigned(index), unsigned(dim)};
  }
  return std::nullopt;
}

Expr ProgramImporter::addStride(Function &function, StringRef symbol) {
  Expr &value = strides[symbol];
  if (value)
    return value;
  std::optional<Stride> stride = findStride(function, symbol);
  assert(stride && "only strides of arguments can be told");
  FunctionState &state = function.state;
  value = state.declareBacked(symbol, symbolic::SymbolType::Int,
                              /*isSize=*/false);
  Location loc = NameLoc::get(StringAttr::get(context, symbol));
  Block &block = module->lookupSymbol<func::FuncOp>("main").front();
  block.addArgument(state.builder.getIndexType(), loc);
  ArgumentInfo info;
  info.attrs = DictionaryAttr::get(
      context, {NamedAttribute(StringAttr::get(context, attr_names::kHidden),
                               PathAttr::get(context, stride->argument,
                                             KeyPathKind::Stride, stride->dim)),
                NamedAttribute(StringAttr::get(context, attr_names::kValue),
                               state.getAttr(value))});
  arguments.push_back(std::move(info));
  return value;
}

LogicalResult ProgramImporter::addInputs(Function &function, Block &block,
                                         GraphScope &scope) {
  for (const InputSpec &spec : program.inputs) {
    if (spec.kind == InputSpec::Kind::Other)
      return emitError(getLocation()) << "inputs of the kind '" << spec.kindName
                                      << "' are not supported";
    if (spec.kind == InputSpec::Kind::User ||
        spec.kind == InputSpec::Kind::ConstantInput) {
      if (failed(addArgument(function, block, scope, spec)))
        return failure();
      continue;
    }
    if (states.contains(spec.target))
      continue;
    FailureOr<Tensor> constant = importConstant(function, spec);
    if (failed(constant))
      return failure();
    scope.values[spec.name] =
        Binding{function.addConstant(*constant, spec.target), Expr()};
  }
  return addStates(function, block, scope);
}

LogicalResult ProgramImporter::importMain() {
  Function function(*this, context, program.ranges);
  this->main = &function;
  FunctionState &state = function.state;
  GraphScope scope(program.graph);
  state.builder.setInsertionPointToEnd(module->getBody());
  auto main = func::FuncOp::create(
      state.builder, getLocation(), "main",
      FunctionType::get(context, TypeRange(), TypeRange()));
  Block *block = main.addEntryBlock();
  state.builder.setInsertionPointToStart(block);
  size_t numStates = states.size();
  if (failed(declareInputSymbols(function)) ||
      failed(addInputs(function, *block, scope)) ||
      failed(function.importNodes(scope)))
    return failure();
  lacksState = states.size() != numStates;
  if (lacksState || failed(buildResults(function, scope, main)))
    return failure();

  SmallVector<Value> values;
  for (const Result &result : results)
    values.push_back(result.value);
  func::ReturnOp::create(state.builder, getLocation(), values);
  main.setFunctionType(
      FunctionType::get(context, block->getArgumentTypes(), TypeRange(values)));
  for (auto [index, argument] : llvm::enumerate(arguments))
    main.setArgAttrs(index, argument.attrs);
  for (auto [index, result] : llvm::enumerate(results))
    main.setResultAttrs(index, result.attrs);
  main->setAttr(SymbolsAttr::attrName, state.getTable());
  return success();
}

//===----------------------------------------------------------------------===//
// Called subgraphs
//===----------------------------------------------------------------------===//

/// The sizes of a subgraph's argument. Where a size is an expression of symbols
/// that no argument gives, the whole of it is a symbol: the subgraph cannot
/// tell its parts.
static FailureOr<Sizes> getFormalSizes(Subgraph &subgraph,
                                       const TensorMeta &meta, StringRef name,
                                       Location loc) {
  Function &function = *subgraph.function;
  FunctionState &state = function.state;
  Sizes sizes;
  for (const SymInt &number : meta.sizes) {
    if (!number.literal) {
      llvm::Expected<Expr> known =
          readSrepr(number.srepr, state.exprs,
                    [&](StringRef symbol, symbolic::SymbolType) {
                      return state.lookup(symbol);
                    });
      Expr &opaque = subgraph.opaqueSizes[number.srepr];
      if (!known && !opaque)
        opaque = state.declareBacked(state.freshName((name + "_size").str()),
                                     symbolic::SymbolType::Int,
                                     /*isSize=*/true);
      if (!known) {
        llvm::consumeError(known.takeError());
        sizes.push_back(opaque);
        continue;
      }
    }
    FailureOr<Expr> size = function.getRecordedSize(number, loc);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  return sizes;
}

LogicalResult ProgramImporter::addSubgraphInput(Subgraph &subgraph,
                                                GraphScope &scope,
                                                const Argument &input,
                                                Block &block, Location loc) {
  Function &function = *subgraph.function;
  FunctionState &state = function.state;
  Subgraph::Input formal;
  auto meta = scope.graph.tensors.find(input.text);
  if (meta != scope.graph.tensors.end()) {
    std::optional<Dtype> dtype = getDtype(meta->second.dtype);
    FailureOr<Sizes> sizes =
        getFormalSizes(subgraph, meta->second, input.text, loc);
    if (!dtype || failed(sizes))
      return emitError(loc) << "the subgraph's argument '" << input.text
                            << "' is not supported";
    Emitter emitter(state, loc, subgraph.func.getName());
    Value value = block.addArgument(emitter.tensorType(*sizes, *dtype), loc);
    formal.tensor = emitter.make(value, *dtype, *sizes);
    formal.tensor.setRecorded(meta->second.sizes);
    scope.values[input.text] = Binding{
        function.addTensor(formal.tensor, "it belongs to the caller"), Expr()};
    subgraph.argAttrs.push_back(getArgumentAttrs(
        context, "", getShapeAttr(state, *sizes), {}, *dtype == Dtype::U8));
  } else {
    auto number = scope.graph.ints.find(input.text);
    if (number == scope.graph.ints.end())
      return emitError(loc) << "the subgraph's argument '" << input.text
                            << "' is not supported";
    function.declareSymbols(number->second, /*isSize=*/false);
    FailureOr<Expr> value = function.getRecorded(number->second, loc);
    if (failed(value))
      return failure();
    formal.scalar = *value;
    block.addArgument(state.builder.getIndexType(), loc);
    subgraph.argAttrs.push_back(
        getArgumentAttrs(context, "", {}, state.getAttr(*value), false));
    scope.values[input.text] = Binding{-1, *value};
  }
  subgraph.inputs.push_back(std::move(formal));
  return success();
}

FailureOr<const Subgraph *> ProgramImporter::getSubgraph(const Graph &graph,
                                                         StringRef identifier,
                                                         Location loc) {
  auto known = subgraphs.find(identifier);
  if (known != subgraphs.end())
    return known->second.get();
  auto subgraph = std::make_unique<Subgraph>();
  // Its names are those of the first call. Another call may have other sizes,
  // and the recorded ranges say nothing about those.
  subgraph->function = std::make_unique<Function>(*this, context, noRanges);
  Function &function = *subgraph->function;
  FunctionState &state = function.state;
  GraphScope scope(graph);
  state.builder.setInsertionPointToEnd(module->getBody());
  subgraph->func = func::FuncOp::create(
      state.builder, loc, identifier,
      FunctionType::get(context, TypeRange(), TypeRange()));
  func::FuncOp func = subgraph->func;
  func.setPrivate();
  Block *block = func.addEntryBlock();
  state.builder.setInsertionPointToStart(block);
  for (const Argument &input : graph.inputs)
    if (auto it = graph.tensors.find(input.text); it != graph.tensors.end())
      for (const SymInt &size : it->second.sizes)
        if (getLoneSymbol(size.srepr))
          function.declareSymbols(size, /*isSize=*/true);
  for (const Argument &input : graph.inputs)
    if (failed(addSubgraphInput(*subgraph, scope, input, *block, loc)))
      return failure();
  FailureOr<SmallVector<Binding>> outputs = failure();
  if (failed(function.importNodes(scope)) ||
      failed(outputs = function.getOutputs(scope, loc)))
    return failure();
  SmallVector<Value> values;
  SmallVector<DictionaryAttr> resultAttrs;
  for (const Binding &binding : *outputs) {
    if (!binding.isTensor())
      return emitError(loc) << "a result of the subgraph '" << identifier
                            << "' is not a tensor: this is not supported";
    const Tensor &tensor = function.getSlot(binding.slot).tensor;
    values.push_back(tensor.value);
    subgraph->outputs.push_back(tensor);
    resultAttrs.push_back(getArgumentAttrs(context, "",
                                           getShapeAttr(state, tensor.sizes),
                                           {}, tensor.dtype == Dtype::U8));
  }
  func::ReturnOp::create(state.builder, loc, values);
  func.setFunctionType(
      FunctionType::get(context, block->getArgumentTypes(), TypeRange(values)));
  func.setAllArgAttrs(subgraph->argAttrs);
  func.setAllResultAttrs(resultAttrs);
  func->setAttr(SymbolsAttr::attrName, state.getTable());
  const Subgraph *result = subgraph.get();
  subgraphs[identifier] = std::move(subgraph);
  return result;
}

OwningOpRef<ModuleOp> ProgramImporter::run() {
  if (failed(checkTargets()) || failed(readTables()))
    return nullptr;
  module = ModuleOp::create(getLocation());
  if (failed(importMain()))
    return nullptr;
  if (llvm::Error error = data.finish()) {
    emitError(getLocation()) << llvm::toString(std::move(error));
    return nullptr;
  }
  if (failed(verify(*module)))
    return nullptr;
  return std::move(module);
}

} // namespace import_pt2

//===----------------------------------------------------------------------===//
// Public interface
//===----------------------------------------------------------------------===//

bool isSupportedTarget(StringRef target) {
  return import_pt2::LoweringTable::get().lookup(target).lower != nullptr;
}

bool isSupportedOnComplex(StringRef target) {
  return import_pt2::isSupportedOnPairs(target);
}

void registerImportDialects(DialectRegistry &registry) {
  registry.insert<TallyDialect, arith::ArithDialect, func::FuncDialect,
                  linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                  tensor::TensorDialect>();
}

OwningOpRef<ModuleOp> importPt2(StringRef path, MLIRContext *context,
                                const ImportOptions &options) {
  DialectRegistry registry;
  registerImportDialects(registry);
  context->appendDialectRegistry(registry);
  context->loadAllAvailableDialects();
  auto report = [&](llvm::Error error) {
    emitError(UnknownLoc::get(context))
        << "cannot import '" << path
        << "': " << llvm::toString(std::move(error));
    return nullptr;
  };
  llvm::Expected<import_pt2::Archive> archive = import_pt2::Archive::open(path);
  if (!archive)
    return report(archive.takeError());
  llvm::Expected<std::string> json = archive->read("models/model.json");
  if (!json)
    return report(json.takeError());
  llvm::Expected<import_pt2::Program> program = import_pt2::parseProgram(*json);
  if (!program)
    return report(program.takeError());
  import_pt2::makePairs(*program);
  llvm::StringSet<> states;
  for (const import_pt2::OutputSpec &spec : program->outputs)
    if (spec.kind == import_pt2::OutputSpec::Kind::BufferMutation)
      states.insert(spec.target);
  // What a program that is not functional writes to, is known when its nodes
  // have been imported.
  while (true) {
    import_pt2::ProgramImporter importer(context, *archive, *program, options,
                                         states);
    OwningOpRef<ModuleOp> module = importer.run();
    if (module || !importer.mustRunAgain())
      return module;
  }
}

} // namespace tally
