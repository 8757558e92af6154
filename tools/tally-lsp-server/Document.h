//===- Document.h - What is known of the sizes in a text --------*- C++ -*-===//
//
// The part of the language server that MLIR's does not have: it reads a
// document for itself, and asks the shape analysis.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TOOLS_LSPSERVER_DOCUMENT_H
#define TALLY_TOOLS_LSPSERVER_DOCUMENT_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace tally::lsp {

/// A place in a document; both count from zero.
struct Position {
  unsigned line, character;
};

/// What an operation needs, for the end of its first line.
struct Hint {
  Position position;
  std::string label;
};

/// One part of a document: the text between two lines that start with
/// `// -----`.
class Part;

/// The text of a document, which is read when somebody asks.
class Document {
public:
  Document(llvm::StringRef text, const mlir::DialectRegistry &registry);
  ~Document();
  Document(const Document &) = delete;
  Document &operator=(const Document &) = delete;

  /// Markdown that tells the symbolic shape of the value at a position, or the
  /// range of the symbol that is named there; empty if there is neither.
  std::string getHover(Position position);
  /// The preconditions of operations that do not hold by construction.
  std::vector<Hint> getHints();

private:
  std::vector<std::unique_ptr<Part>> parts;
};

} // namespace tally::lsp

#endif // TALLY_TOOLS_LSPSERVER_DOCUMENT_H
