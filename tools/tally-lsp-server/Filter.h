//===- Filter.h - Answers of MLIR's language server, and more ---*- C++ -*-===//
//
// MLIR's language server has no hook for what a dialect knows. A filter stands
// between it and the editor: it passes all messages on, remembers the text of
// documents, and adds to answers.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TOOLS_LSPSERVER_FILTER_H
#define TALLY_TOOLS_LSPSERVER_FILTER_H

#include "Document.h"
#include "llvm/Support/JSON.h"

#include <functional>
#include <map>
#include <mutex>

namespace tally::lsp {

class Filter {
public:
  explicit Filter(const mlir::DialectRegistry &registry) : registry(registry) {}

  /// Notes what a message of the editor changes or asks for.
  void handleRequest(const llvm::json::Value &message);
  /// Adds to a message of the server what was asked for. May be called beside
  /// handleRequest.
  void handleAnswer(llvm::json::Value &message);

private:
  using Addition = std::function<void(llvm::json::Object &answer)>;

  void handleNotification(llvm::StringRef method,
                          const llvm::json::Object &parameters);
  Addition getAddition(llvm::StringRef method,
                       const llvm::json::Object &parameters);
  Addition addHover(Document &document, const llvm::json::Object &parameters);
  Addition addHints(Document &document, const llvm::json::Object &parameters);

  const mlir::DialectRegistry &registry;
  std::map<std::string, std::unique_ptr<Document>> documents;
  /// What is added to answers that have not come yet, by the identifier of the
  /// request.
  std::map<std::string, Addition> pending;
  std::mutex mutex;
};

} // namespace tally::lsp

#endif // TALLY_TOOLS_LSPSERVER_FILTER_H
