"""Whether each public function of the Python package tells its types, as PEP 561's marker promises."""

import ast
import pathlib
import sys

#: What describes the runtime's structs and packs them is not for users.
INTERNAL = {"abi.py", "arrays.py"}
#: Where the public functions of tally.torch are.
TORCH = {"_backend.py": {"backend"}, "_compile.py": {"compile"}}


def find_functions(tree, names=None):
    """The public functions and methods, with their names."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not names:
            yield from ((f"{node.name}.{name}", each) for name, each in find_functions(node))
        elif isinstance(node, ast.FunctionDef):
            is_public = not node.name.startswith("_") or node.name.endswith("__")
            if node.name in names if names else is_public:
                yield node.name, node


def find_untyped(function):
    arguments = function.args
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    untyped = [each.arg for each in listed
               if each and each.annotation is None and each.arg not in ("self", "cls")]
    return untyped + ["the result"] * (function.returns is None)


def main(package):
    assert (package / "py.typed").exists(), "there is no py.typed"
    modules = [(path, None) for path in sorted(package.glob("*.py"))
               if path.name not in INTERNAL and (path.name == "__init__.py" or path.name[0] != "_")]
    modules += [(package / "torch" / name, names) for name, names in TORCH.items()]
    count = 0
    for path, names in modules:
        for name, function in find_functions(ast.parse(path.read_text()), names):
            count += 1
            for untyped in find_untyped(function):
                print(f"{path.name}:{function.lineno}: {name} does not tell the type of {untyped}")
    print(f"{count} functions were looked at")


main(pathlib.Path(sys.argv[1]))
