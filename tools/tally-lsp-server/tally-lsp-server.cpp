//===- tally-lsp-server.cpp - Language server -----------------------------===//
//
// Diagnostics, completion and navigation for .mlir files with Tally's dialect,
// in editors that speak the language server protocol: that is MLIR's server.
// It reads from a pipe and writes to one; what knows of sizes stands between
// these and the editor.
//
//===----------------------------------------------------------------------===//

#include "../ToolVersion.h"
#include "Filter.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Support/LLVM.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tally/InitAll.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LSP/Transport.h"

#include <csignal>
#include <thread>
#include <unistd.h>

using namespace llvm;
using llvm::lsp::JSONStreamStyle;
using llvm::lsp::JSONTransportInputOverFile;
using tally::lsp::Filter;

namespace {

/// How the editor, or a test, speaks; the server always speaks plainly.
struct Style {
  JSONStreamStyle input = JSONStreamStyle::Standard;
  bool isPretty = false;
  /// Whether nothing but messages goes to standard output.
  bool isServing = true;
  /// Whether to print the options that are of use, and nothing else.
  bool asksForHelp = false;
  std::vector<char *> arguments;
};

/// Both ends of a pipe.
struct Pipe {
  int read, write;

  bool open() {
    int ends[2];
    if (pipe(ends) != 0)
      return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
};

} // namespace

/// MLIR's server reads its options itself, and tells of all that LLVM has.
static constexpr StringLiteral kHelp =
    R"(OVERVIEW: Language server for .mlir files with Tally's dialect

USAGE: tally-lsp-server [options]

OPTIONS:

Generic Options:

  --help                 - Display available options (--help-hidden for those of LLVM, too)
  --version              - Display the version of this program

tally-lsp-server options:

  --input-style=<value>  - How messages on standard input are separated (default: standard)
    =standard            -   As the language server protocol has it
    =delimited           -   By lines of // -----, for tests
  --lit-test             - For tests: --input-style=delimited --pretty --log=verbose (default: off)
  --log=<value>          - What to log on standard error (default: info)
    =error               -   Errors alone
    =info                -   Also what is going on
    =verbose             -   Also the messages
  --pretty               - Print messages over several lines (default: off)
)";

/// Takes from the command line what is about the messages.
static Style parseStyle(int argc, char **argv) {
  static char verbose[] = "-log=verbose";
  Style style;
  for (char *argument : ArrayRef(argv, argc)) {
    StringRef text(argument);
    if (text.consume_front("-"))
      text.consume_front("-");
    style.asksForHelp |= text == "help" || text == "h";
    if (text.starts_with("help") || text == "h" || text == "version")
      style.isServing = false;
    if (text == "lit-test") {
      style.input = JSONStreamStyle::Delimited;
      style.isPretty = true;
      style.arguments.push_back(verbose);
    } else if (text == "input-style=delimited") {
      style.input = JSONStreamStyle::Delimited;
    } else if (text == "pretty") {
      style.isPretty = true;
    } else {
      style.arguments.push_back(argument);
    }
  }
  return style;
}

static void send(raw_ostream &os, StringRef text) {
  os << "Content-Length: " << text.size() << "\r\n\r\n" << text;
  os.flush();
}

/// Calls `handle` with each message and its text, until there are no more or it
/// returns false. A text that is no JSON has no message.
static void readMessages(JSONTransportInputOverFile &input,
                         function_ref<bool(json::Value *, StringRef)> handle) {
  std::string text;
  bool goesOn = true;
  while (goesOn && !input.isEndOfInput() && !input.hasError()) {
    text.clear();
    if (failed(input.readMessage(text)))
      continue;
    Expected<json::Value> message = json::parse(text);
    goesOn = handle(message ? &*message : nullptr, text);
    if (!message)
      consumeError(message.takeError());
  }
}

/// Passes what the editor says to the server, until it says no more.
static void passRequests(FILE *editor, const Style &style, int server,
                         Filter &filter) {
  raw_fd_ostream os(server, /*shouldClose=*/true);
  JSONTransportInputOverFile input(editor, style.input);
  readMessages(input, [&](json::Value *message, StringRef text) {
    if (message)
      filter.handleRequest(*message);
    send(os, text);
    const json::Object *object = message ? message->getAsObject() : nullptr;
    return !object || object->getString("method") != StringRef("exit");
  });
  // The server may have ended by itself.
  os.clear_error();
}

/// Passes what the server says to the editor, until it ends.
static void passAnswers(FILE *server, const Style &style,
                        raw_fd_ostream &editor, Filter &filter) {
  JSONTransportInputOverFile input(server);
  readMessages(input, [&](json::Value *message, StringRef) {
    if (!message)
      return true;
    filter.handleAnswer(*message);
    send(editor, style.isPretty ? formatv("{0:2}\n", *message).str()
                                : formatv("{0}\n", *message).str());
    return true;
  });
  // The editor may have gone.
  editor.clear_error();
}

/// Runs MLIR's server on pipes in the place of standard input and output.
static int serve(Style &style, mlir::DialectRegistry &registry) {
  Pipe requests, answers;
  if (!requests.open() || !answers.open()) {
    errs() << "tally-lsp-server: cannot make a pipe\n";
    return 1;
  }
  std::signal(SIGPIPE, SIG_IGN);
  FILE *editor = fdopen(dup(STDIN_FILENO), "r");
  raw_fd_ostream toEditor(dup(STDOUT_FILENO), /*shouldClose=*/true);
  FILE *server = fdopen(answers.read, "r");
  dup2(requests.read, STDIN_FILENO);
  close(requests.read);
  dup2(answers.write, STDOUT_FILENO);
  close(answers.write);

  Filter filter(registry);
  std::thread requesting(
      [&] { passRequests(editor, style, requests.write, filter); });
  std::thread answering([&] { passAnswers(server, style, toEditor, filter); });
  int argc = static_cast<int>(style.arguments.size());
  bool hasFailed = mlir::failed(
      mlir::MlirLspServerMain(argc, style.arguments.data(), registry));
  outs().flush();
  close(STDOUT_FILENO);
  answering.join();
  requesting.join();
  return hasFailed;
}

int main(int argc, char **argv) {
  tally::setVersionPrinter();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  tally::registerAllDialects(registry);
  Style style = parseStyle(argc, argv);
  if (style.asksForHelp) {
    outs() << kHelp;
    return 0;
  }
  if (!style.isServing)
    return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
  return serve(style, registry);
}
