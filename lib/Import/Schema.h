//===- Schema.h - What an exported program says -----------------*- C++ -*-===//
//
// The program of a .pt2 archive as plain C++ structs, read from its JSON.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_SCHEMA_H
#define TALLY_LIB_IMPORT_SCHEMA_H

#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tally::import_pt2 {

struct Graph;

/// A symbolic number: a literal, or sympy's `srepr` of an expression.
struct SymInt {
  std::optional<int64_t> literal;
  std::string srepr;
  /// The value of the expression in the call that was traced, if that is there.
  std::optional<int64_t> traced;

  bool isLiteral(int64_t value) const { return literal == value; }
};

/// The recorded properties of a tensor.
struct TensorMeta {
  int64_t dtype = 0;
  llvm::SmallVector<SymInt, 4> sizes;
  llvm::SmallVector<SymInt, 4> strides;
  SymInt storageOffset;
};

/// An argument of a node, an input or an output. Lists nest.
struct Argument {
  enum class Kind {
    None,
    Name, ///< A value of the graph (tensor or symbolic number), by name.
    Int,
    Float,
    Complex,
    Bool,
    String,
    Dtype, ///< A scalar type, as its number.
    List,
    Graph,
    Other, ///< Device, layout, memory format and what nothing here reads.
  };

  Kind kind = Kind::None;
  std::string text;
  llvm::DynamicAPInt integer;
  double real = 0; ///< A float, or the real part of a complex number.
  double imaginary = 0;
  bool boolean = false;
  std::vector<Argument> list;
  std::shared_ptr<Graph> graph;

  bool isNone() const { return kind == Kind::None; }
  bool isName() const { return kind == Kind::Name; }
};

/// A named argument of a node; positional ones of higher-order ops have no
/// name.
struct NamedArgument {
  std::string name;
  Argument value;
};

struct Node {
  std::string target; ///< Without `torch.ops.`: `aten.add.Tensor`.
  std::string name;
  std::vector<NamedArgument> inputs;
  std::vector<Argument> outputs;
  std::string stackTrace;
  bool isSingleTensorReturn = false;
  /// It has complex operands or results, and is imported as an operator on
  /// pairs of numbers.
  bool isOnPairs = false;
};

struct Graph {
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;
  std::vector<Node> nodes;
  llvm::StringMap<TensorMeta> tensors;
  llvm::StringMap<SymInt> ints;
  llvm::StringMap<SymInt> floats;
  llvm::StringMap<SymInt> bools;
  /// The tensors of complex numbers. Once `makePairs` has run, they are of
  /// floats, and have one more dimension, for both parts.
  llvm::StringSet<> pairs;
};

struct InputSpec {
  enum class Kind { User, Parameter, Buffer, Constant, ConstantInput, Other };
  Kind kind = Kind::Other;
  std::string kindName;
  std::string name;   ///< In the graph; of a constant input its own name.
  std::string target; ///< The parameter's, buffer's or constant's full name.
  Argument value;     ///< Of a constant input.
};

struct OutputSpec {
  enum class Kind { User, BufferMutation, InputMutation, Other };
  Kind kind = Kind::Other;
  std::string kindName;
  Argument value;
  std::string target; ///< The buffer or the input that is written.
};

struct Range {
  std::optional<int64_t> lower;
  std::optional<int64_t> upper;
};

struct Program {
  Graph graph;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  llvm::StringMap<Range> ranges;
};

/// One entry of a weights or constants table.
struct StoredTensor {
  std::string path;
  TensorMeta meta;
  bool isPickled = false;
};

/// Reads `models/model.json`.
llvm::Expected<Program> parseProgram(llvm::StringRef json);
/// Reads `data/.../model_..._config.json`.
llvm::Expected<llvm::StringMap<StoredTensor>>
parseTensorTable(llvm::StringRef json);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_SCHEMA_H
