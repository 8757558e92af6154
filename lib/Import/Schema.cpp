//===- Schema.cpp - What an exported program says -------------------------===//
//
// The JSON of a program is a tree of objects and of unions: objects with one
// key, which tells the case. Reading stops at the first thing that is not as
// the schema has it.
//
//===----------------------------------------------------------------------===//

#include "Schema.h"

#include "Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace tally::import_pt2 {

namespace {

/// Reads values and keeps the first error.
class Reader {
public:
  Program readProgram(const JsonValue &root);
  StringMap<StoredTensor> readTensorTable(const JsonValue &root);

  Error takeError() {
    if (message.empty())
      return Error::success();
    return createStringError(inconvertibleErrorCode(), message);
  }
  bool failed() const { return !message.empty(); }

private:
  void fail(const Twine &text) {
    if (message.empty())
      message = ("the program is malformed: " + text).str();
  }

  JsonObject object(const JsonValue *value, StringRef what);
  ArrayRef<JsonValue> array(const JsonValue *value, StringRef what);
  std::string string(const JsonValue *value, StringRef what);
  int64_t integer(const JsonValue *value, StringRef what);
  /// An integer of any size.
  DynamicAPInt largeInteger(const JsonValue *value, StringRef what);
  /// The key and the value of an object with one member.
  std::pair<StringRef, const JsonValue *> unionCase(const JsonValue *value,
                                                    StringRef what);

  SymInt readSymInt(const JsonValue *value, StringRef what);
  double readFloat(const JsonValue *value);
  TensorMeta readTensorMeta(const JsonValue *value);
  Argument readArgument(const JsonValue *value);
  Argument readCase(StringRef key, const JsonValue *value);
  Argument readList(StringRef elementKey, const JsonValue *value);
  Argument readSymbolic(const JsonValue *value);
  Argument readName(const JsonValue *value);
  Node readNode(const JsonValue *value);
  void readGraph(const JsonValue *value, Graph &graph);
  void readScalars(const JsonValue *value, StringMap<SymInt> &numbers);
  InputSpec readInputSpec(const JsonValue *value);
  OutputSpec readOutputSpec(const JsonValue *value);
  void readRanges(const JsonValue *value, StringMap<Range> &ranges);

  std::string message;
};

} // namespace

//===----------------------------------------------------------------------===//
// Plain JSON
//===----------------------------------------------------------------------===//

JsonObject Reader::object(const JsonValue *value, StringRef what) {
  if (value)
    if (std::optional<JsonObject> result = value->getObject())
      return *result;
  fail(what + " is not an object");
  return JsonObject();
}

ArrayRef<JsonValue> Reader::array(const JsonValue *value, StringRef what) {
  if (value)
    if (std::optional<ArrayRef<JsonValue>> result = value->getArray())
      return *result;
  fail(what + " is not a list");
  return {};
}

std::string Reader::string(const JsonValue *value, StringRef what) {
  if (value)
    if (std::optional<StringRef> result = value->getString())
      return result->str();
  fail(what + " is not a string");
  return {};
}

int64_t Reader::integer(const JsonValue *value, StringRef what) {
  if (value)
    if (std::optional<int64_t> result = value->getInteger())
      return *result;
  fail(what + " is not an integer");
  return 0;
}

DynamicAPInt Reader::largeInteger(const JsonValue *value, StringRef what) {
  std::optional<StringRef> text = value ? value->getNumberText() : std::nullopt;
  APInt digits;
  if (!text || value->getInteger() || text->getAsInteger(10, digits))
    return DynamicAPInt(integer(value, what));
  // As many bits as the digits take may leave none for the sign.
  return DynamicAPInt(
      text->starts_with("-") ? digits : digits.zext(digits.getBitWidth() + 1));
}

std::pair<StringRef, const JsonValue *>
Reader::unionCase(const JsonValue *value, StringRef what) {
  JsonObject cases = object(value, what);
  if (cases.size() == 1)
    return {cases.begin()->name, &cases.begin()->value};
  fail(what + " does not have exactly one case");
  return {"", nullptr};
}

//===----------------------------------------------------------------------===//
// Numbers and tensors
//===----------------------------------------------------------------------===//

SymInt Reader::readSymInt(const JsonValue *value, StringRef what) {
  SymInt number;
  auto [key, body] = unionCase(value, what);
  if (key == "as_int") {
    DynamicAPInt value = largeInteger(body, what);
    if (value >= std::numeric_limits<int64_t>::min() &&
        value <= std::numeric_limits<int64_t>::max())
      number.literal = int64_t(value);
    else
      raw_string_ostream(number.srepr) << "Integer(" << value << ")";
  } else if (key == "as_bool") {
    if (std::optional<bool> flag = body->getBoolean())
      number.literal = *flag;
    else
      fail(what + " is not a boolean");
  } else if (key == "as_float") {
    // Floats need no literal of their own; spell them as srepr does.
    raw_string_ostream(number.srepr) << "Float('" << readFloat(body) << "')";
  } else if (key == "as_expr") {
    JsonObject fields = object(body, what);
    number.srepr = string(fields.get("expr_str"), what);
    if (std::optional<JsonObject> hint = fields.getObject("hint"))
      number.traced = hint->getInteger("as_int");
  } else {
    fail(what + " has the unknown case '" + key + "'");
  }
  return number;
}

double Reader::readFloat(const JsonValue *value) {
  if (value) {
    if (std::optional<double> number = value->getDouble())
      return *number;
    if (std::optional<StringRef> text = value->getString()) {
      double inf = std::numeric_limits<double>::infinity();
      if (*text == "Infinity")
        return inf;
      if (*text == "-Infinity")
        return -inf;
      if (*text == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    }
  }
  fail("a number is expected");
  return 0;
}

TensorMeta Reader::readTensorMeta(const JsonValue *value) {
  JsonObject fields = object(value, "a tensor's metadata");
  TensorMeta meta;
  meta.dtype = integer(fields.get("dtype"), "a tensor's dtype");
  for (const JsonValue &size : array(fields.get("sizes"), "a tensor's sizes"))
    meta.sizes.push_back(readSymInt(&size, "a tensor's size"));
  for (const JsonValue &stride :
       array(fields.get("strides"), "a tensor's strides"))
    meta.strides.push_back(readSymInt(&stride, "a tensor's stride"));
  meta.storageOffset =
      readSymInt(fields.get("storage_offset"), "a tensor's storage offset");
  return meta;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Argument Reader::readName(const JsonValue *value) {
  Argument argument;
  argument.kind = Argument::Kind::Name;
  argument.text =
      string(object(value, "an argument").get("name"), "an argument's name");
  return argument;
}

/// A symbolic number: `{"as_name": ...}`, or a literal.
Argument Reader::readSymbolic(const JsonValue *value) {
  auto [key, body] = unionCase(value, "a symbolic argument");
  if (key != "as_name")
    return readCase(key, body);
  Argument argument;
  argument.kind = Argument::Kind::Name;
  argument.text = string(body, "an argument's name");
  return argument;
}

Argument Reader::readList(StringRef elementKey, const JsonValue *value) {
  Argument argument;
  argument.kind = Argument::Kind::List;
  for (const JsonValue &element : array(value, "a list argument"))
    argument.list.push_back(elementKey.empty()
                                ? readArgument(&element)
                                : readCase(elementKey, &element));
  return argument;
}

Argument Reader::readArgument(const JsonValue *value) {
  auto [key, body] = unionCase(value, "an argument");
  return readCase(key, body);
}

Argument Reader::readCase(StringRef key, const JsonValue *value) {
  Argument argument;
  if (!value || key == "as_none")
    return argument;
  if (key == "as_tensor")
    return readName(value);
  if (key == "as_sym_int" || key == "as_sym_bool" || key == "as_sym_float")
    return readSymbolic(value);
  if (key == "as_optional_tensor")
    return readArgument(value);
  if (key == "as_optional_tensors")
    return readList("", value);
  StringRef element = StringSwitch<StringRef>(key)
                          .Case("as_tensors", "as_tensor")
                          .Case("as_ints", "as_int")
                          .Case("as_floats", "as_float")
                          .Case("as_bools", "as_bool")
                          .Case("as_strings", "as_string")
                          .Case("as_sym_ints", "as_sym_int")
                          .Case("as_sym_bools", "as_sym_bool")
                          .Case("as_sym_floats", "as_sym_float")
                          .Case("as_int_lists", "as_ints")
                          .Case("as_float_lists", "as_floats")
                          .Case("as_nested_tensors", "as_tensors")
                          .Default("");
  if (!element.empty())
    return readList(element, value);
  if (key == "as_int") {
    argument.kind = Argument::Kind::Int;
    argument.integer = largeInteger(value, "an integer argument");
  } else if (key == "as_float") {
    argument.kind = Argument::Kind::Float;
    argument.real = readFloat(value);
  } else if (key == "as_complex") {
    JsonObject fields = object(value, "a complex argument");
    argument.kind = Argument::Kind::Complex;
    argument.real = readFloat(fields.get("real"));
    argument.imaginary = readFloat(fields.get("imag"));
  } else if (key == "as_bool") {
    argument.kind = Argument::Kind::Bool;
    if (std::optional<bool> flag = value->getBoolean())
      argument.boolean = *flag;
    else
      fail("a boolean argument is not a boolean");
  } else if (key == "as_string") {
    argument.kind = Argument::Kind::String;
    argument.text = string(value, "a string argument");
  } else if (key == "as_scalar_type") {
    argument.kind = Argument::Kind::Dtype;
    argument.integer = DynamicAPInt(integer(value, "a dtype argument"));
  } else if (key == "as_graph") {
    JsonObject fields = object(value, "a subgraph");
    argument.kind = Argument::Kind::Graph;
    argument.text = string(fields.get("name"), "a subgraph's name");
    argument.graph = std::make_shared<Graph>();
    readGraph(fields.get("graph"), *argument.graph);
  } else {
    argument.kind = Argument::Kind::Other;
    argument.text = key.str();
  }
  return argument;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

Node Reader::readNode(const JsonValue *value) {
  JsonObject fields = object(value, "a node");
  Node node;
  StringRef prefix("torch.ops.");
  node.target = string(fields.get("target"), "a node's target");
  if (StringRef(node.target).starts_with(prefix))
    node.target = node.target.substr(prefix.size());
  if (std::optional<StringRef> name = fields.getString("name"))
    node.name = name->str();
  for (const JsonValue &input : array(fields.get("inputs"), "node inputs")) {
    JsonObject entry = object(&input, "a node's input");
    node.inputs.push_back({string(entry.get("name"), "an input's name"),
                           readArgument(entry.get("arg"))});
  }
  for (const JsonValue &output : array(fields.get("outputs"), "node outputs"))
    node.outputs.push_back(readArgument(&output));
  if (std::optional<JsonObject> metadata = fields.getObject("metadata"))
    if (std::optional<StringRef> trace = metadata->getString("stack_trace"))
      node.stackTrace = trace->str();
  if (std::optional<bool> single =
          fields.getBoolean("is_hop_single_tensor_return"))
    node.isSingleTensorReturn = *single;
  return node;
}

void Reader::readScalars(const JsonValue *value, StringMap<SymInt> &numbers) {
  for (const auto &[name, number] : object(value, "a table of numbers"))
    numbers[StringRef(name)] = readSymInt(&number, "a symbolic number");
}

void Reader::readGraph(const JsonValue *value, Graph &graph) {
  JsonObject fields = object(value, "a graph");
  for (const JsonValue &input : array(fields.get("inputs"), "graph inputs"))
    graph.inputs.push_back(readArgument(&input));
  for (const JsonValue &output : array(fields.get("outputs"), "graph outputs"))
    graph.outputs.push_back(readArgument(&output));
  for (const JsonValue &node : array(fields.get("nodes"), "graph nodes"))
    graph.nodes.push_back(readNode(&node));
  for (const auto &[name, meta] :
       object(fields.get("tensor_values"), "the table of tensors"))
    graph.tensors[StringRef(name)] = readTensorMeta(&meta);
  readScalars(fields.get("sym_int_values"), graph.ints);
  readScalars(fields.get("sym_bool_values"), graph.bools);
  if (const JsonValue *floats = fields.get("sym_float_values"))
    readScalars(floats, graph.floats);
}

//===----------------------------------------------------------------------===//
// Signature and program
//===----------------------------------------------------------------------===//

InputSpec Reader::readInputSpec(const JsonValue *value) {
  auto [key, body] = unionCase(value, "an input specification");
  JsonObject fields = object(body, "an input specification");
  InputSpec spec;
  spec.kindName = key.str();
  if (key == "user_input") {
    spec.kind = InputSpec::Kind::User;
    spec.value = readArgument(fields.get("arg"));
    spec.name = spec.value.text;
    return spec;
  }
  if (key == "constant_input") {
    spec.kind = InputSpec::Kind::ConstantInput;
    spec.name = string(fields.get("name"), "a constant input's name");
    spec.value = readArgument(fields.get("value"));
    return spec;
  }
  StringRef targetKey;
  if (key == "parameter") {
    spec.kind = InputSpec::Kind::Parameter;
    targetKey = "parameter_name";
  } else if (key == "buffer") {
    spec.kind = InputSpec::Kind::Buffer;
    targetKey = "buffer_name";
  } else if (key == "tensor_constant") {
    spec.kind = InputSpec::Kind::Constant;
    targetKey = "tensor_constant_name";
  } else {
    return spec;
  }
  spec.name = string(object(fields.get("arg"), "an input").get("name"),
                     "an input's name");
  spec.target = string(fields.get(targetKey), "an input's target");
  return spec;
}

OutputSpec Reader::readOutputSpec(const JsonValue *value) {
  auto [key, body] = unionCase(value, "an output specification");
  JsonObject fields = object(body, "an output specification");
  OutputSpec spec;
  spec.kindName = key.str();
  if (key == "user_output") {
    spec.kind = OutputSpec::Kind::User;
    spec.value = readArgument(fields.get("arg"));
  } else if (key == "buffer_mutation") {
    spec.kind = OutputSpec::Kind::BufferMutation;
    spec.value = readName(fields.get("arg"));
    spec.target = string(fields.get("buffer_name"), "a mutated buffer's name");
  } else if (key == "user_input_mutation") {
    spec.kind = OutputSpec::Kind::InputMutation;
    spec.value = readName(fields.get("arg"));
    spec.target =
        string(fields.get("user_input_name"), "a mutated input's name");
  }
  return spec;
}

void Reader::readRanges(const JsonValue *value, StringMap<Range> &ranges) {
  for (const auto &[name, body] : object(value, "the range constraints")) {
    JsonObject fields = object(&body, "a range constraint");
    Range range;
    if (std::optional<int64_t> lower = fields.getInteger("min_val"))
      range.lower = *lower;
    if (std::optional<int64_t> upper = fields.getInteger("max_val"))
      range.upper = *upper;
    if (range.lower && range.upper && *range.lower > *range.upper)
      fail("the range of '" + StringRef(name) + "' is empty");
    ranges[StringRef(name)] = range;
  }
}

Program Reader::readProgram(const JsonValue &root) {
  Program program;
  JsonObject fields = object(&root, "the program");
  JsonObject version =
      object(fields.get("schema_version"), "the schema version");
  int64_t major = integer(version.get("major"), "the schema's major version");
  int64_t minor = integer(version.get("minor"), "the schema's minor version");
  if (!failed() && major != 8)
    message = ("schema version " + Twine(major) + "." + Twine(minor) +
               " is not supported; versions 8.x are")
                  .str();
  if (failed())
    return program;
  JsonObject module = object(fields.get("graph_module"), "the graph module");
  readGraph(module.get("graph"), program.graph);
  JsonObject signature = object(module.get("signature"), "the signature");
  for (const JsonValue &spec :
       array(signature.get("input_specs"), "the input specifications"))
    program.inputs.push_back(readInputSpec(&spec));
  for (const JsonValue &spec :
       array(signature.get("output_specs"), "the output specifications"))
    program.outputs.push_back(readOutputSpec(&spec));
  readRanges(fields.get("range_constraints"), program.ranges);
  return program;
}

StringMap<StoredTensor> Reader::readTensorTable(const JsonValue &root) {
  StringMap<StoredTensor> table;
  JsonObject config =
      object(object(&root, "a tensor table").get("config"), "a tensor table");
  for (const auto &[name, body] : config) {
    JsonObject fields = object(&body, "a stored tensor");
    StoredTensor tensor;
    tensor.path = string(fields.get("path_name"), "a stored tensor's path");
    if (std::optional<bool> pickled = fields.getBoolean("use_pickle"))
      tensor.isPickled = *pickled;
    const JsonValue *meta = fields.get("tensor_meta");
    if (meta && !meta->isNull())
      tensor.meta = readTensorMeta(meta);
    else
      tensor.isPickled = true;
    table[StringRef(name)] = std::move(tensor);
  }
  return table;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

Expected<Program> parseProgram(StringRef text) {
  BumpPtrAllocator memory;
  Expected<JsonValue> root = parseJson(text, "the program", memory);
  if (!root)
    return root.takeError();
  Reader reader;
  Program program = reader.readProgram(*root);
  if (Error error = reader.takeError())
    return std::move(error);
  return program;
}

Expected<StringMap<StoredTensor>> parseTensorTable(StringRef text) {
  BumpPtrAllocator memory;
  Expected<JsonValue> root = parseJson(text, "a table of tensors", memory);
  if (!root)
    return root.takeError();
  Reader reader;
  StringMap<StoredTensor> table = reader.readTensorTable(*root);
  if (Error error = reader.takeError())
    return std::move(error);
  return table;
}

} // namespace tally::import_pt2
