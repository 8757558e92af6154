//===- Filter.cpp - Answers of MLIR's language server, and more -----------===//

#include "Filter.h"

#include "tally/Version.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace tally::lsp;

/// The text of `textDocument.uri`; empty if there is none.
static StringRef getURI(const json::Object &parameters) {
  const json::Object *document = parameters.getObject("textDocument");
  return document ? document->getString("uri").value_or("") : "";
}

static std::optional<Position> getPosition(const json::Object *position) {
  if (!position)
    return std::nullopt;
  std::optional<int64_t> line = position->getInteger("line");
  std::optional<int64_t> character = position->getInteger("character");
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (!line || !character || *line < 0 || *character < 0 || *line > most ||
      *character > most)
    return std::nullopt;
  return Position{static_cast<unsigned>(*line),
                  static_cast<unsigned>(*character)};
}

void Filter::handleNotification(StringRef method,
                                const json::Object &parameters) {
  std::string uri = getURI(parameters).str();
  std::optional<StringRef> text;
  if (method == "textDocument/didOpen") {
    if (const json::Object *document = parameters.getObject("textDocument"))
      text = document->getString("text");
  } else if (method == "textDocument/didChange") {
    // MLIR's server asks for whole texts.
    const json::Array *changes = parameters.getArray("contentChanges");
    if (changes && !changes->empty())
      if (const json::Object *last = changes->back().getAsObject())
        text = last->getString("text");
  } else if (method == "textDocument/didClose") {
    documents.erase(uri);
  }
  if (text)
    documents[uri] = std::make_unique<Document>(*text, registry);
}

/// Adds to what the server shows, which may be nothing.
Filter::Addition Filter::addHover(Document &document,
                                  const json::Object &parameters) {
  std::optional<Position> position =
      getPosition(parameters.getObject("position"));
  std::string text = position ? document.getHover(*position) : "";
  if (text.empty())
    return {};
  return [text](json::Object &answer) {
    json::Object *hover = answer.getObject("result");
    json::Object *contents = hover ? hover->getObject("contents") : nullptr;
    std::optional<StringRef> shown =
        contents ? contents->getString("value") : std::nullopt;
    if (shown) {
      (*contents)["value"] = (*shown + "\n\n---\n\n" + text).str();
      return;
    }
    answer["result"] = json::Object{
        {"contents", json::Object{{"kind", "markdown"}, {"value", text}}}};
  };
}

/// The server knows no such request: its answer is an error.
Filter::Addition Filter::addHints(Document &document,
                                  const json::Object &parameters) {
  const json::Object *range = parameters.getObject("range");
  std::optional<Position> start, end;
  if (range) {
    start = getPosition(range->getObject("start"));
    end = getPosition(range->getObject("end"));
  }
  json::Array hints;
  for (const Hint &hint : document.getHints()) {
    const Position &at = hint.position;
    if ((start && at.line < start->line) || (end && at.line > end->line))
      continue;
    hints.push_back(
        json::Object{{"position", json::Object{{"line", at.line},
                                               {"character", at.character}}},
                     {"label", hint.label},
                     {"paddingLeft", true}});
  }
  return [hints = std::move(hints)](json::Object &answer) {
    answer.erase("error");
    answer["result"] = json::Array(hints);
  };
}

Filter::Addition Filter::getAddition(StringRef method,
                                     const json::Object &parameters) {
  if (method == "initialize")
    return [](json::Object &answer) {
      json::Object *result = answer.getObject("result");
      if (!result)
        return;
      if (json::Object *capabilities = result->getObject("capabilities"))
        (*capabilities)["inlayHintProvider"] = true;
      // MLIR's server says its own name.
      (*result)["serverInfo"] = json::Object{{"name", "tally-lsp-server"},
                                             {"version", TALLY_VERSION_STRING}};
    };
  auto it = documents.find(getURI(parameters).str());
  if (it == documents.end())
    return {};
  if (method == "textDocument/hover")
    return addHover(*it->second, parameters);
  if (method == "textDocument/inlayHint")
    return addHints(*it->second, parameters);
  return {};
}

void Filter::handleRequest(const json::Value &message) {
  const json::Object *object = message.getAsObject();
  const json::Object *parameters =
      object ? object->getObject("params") : nullptr;
  std::optional<StringRef> method =
      object ? object->getString("method") : std::nullopt;
  if (!method || !parameters)
    return;
  const json::Value *id = object->get("id");
  if (!id)
    return handleNotification(*method, *parameters);
  Addition addition = getAddition(*method, *parameters);
  std::lock_guard<std::mutex> lock(mutex);
  if (addition)
    pending[formatv("{0}", *id).str()] = std::move(addition);
}

void Filter::handleAnswer(json::Value &message) {
  json::Object *object = message.getAsObject();
  const json::Value *id = object ? object->get("id") : nullptr;
  if (!id || object->get("method"))
    return;
  std::lock_guard<std::mutex> lock(mutex);
  auto it = pending.find(formatv("{0}", *id).str());
  if (it == pending.end())
    return;
  it->second(*object);
  pending.erase(it);
}
