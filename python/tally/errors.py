"""What a call can end with."""

from typing import Any, NamedTuple, Optional, Union

from . import abi


class NamedValue(NamedTuple):
    """A name of a failed expression with the value it had."""

    name: str
    #: Where the value comes from (`x.size(0)`); empty if that is not known.
    source: str
    value: Union[int, float, bool]


class Error(Exception):
    """A call that failed. The attributes are the fields of `tally_rt_error`."""

    message: str
    expression: str
    user_message: str
    required_by: str
    declared_by: str
    file: str
    line: int
    column: int
    values: list[NamedValue]

    def __init__(self, message: str, **fields: Any) -> None:
        super().__init__(message)
        self.message = message
        self.expression = fields.get("expression", "")
        self.user_message = fields.get("user_message", "")
        self.required_by = fields.get("required_by", "")
        self.declared_by = fields.get("declared_by", "")
        self.file = fields.get("file", "")
        self.line = fields.get("line", 0)
        self.column = fields.get("column", 0)
        self.values = fields.get("values", [])


class CheckError(Error, RuntimeError):
    """A check of the program does not hold for these arguments."""


class OutOfMemory(Error, MemoryError):
    """A buffer could not be allocated, or its size does not fit in memory."""


class InvalidArgument(Error, ValueError):
    """The arguments do not fit the signature: their number, data type, rank."""


class BusyError(Error, RuntimeError):
    """The context was in use by another call."""


class DeviceError(Error, RuntimeError):
    """There is no GPU, or its driver failed."""


class CustomCallError(Error, RuntimeError):
    """A function failed that the program calls with tally.custom_call."""


class DataError(Error, RuntimeError):
    """The file with the program's constants is missing, or is another one."""


_CLASSES = {
    1: CheckError,
    2: OutOfMemory,
    3: InvalidArgument,
    4: BusyError,
    5: DeviceError,
    6: CustomCallError,
    7: DataError,
}


def _read_value(value):
    number = value.value
    if value.kind == abi.KIND_BOOL:
        number = bool(number)
    elif value.kind == abi.KIND_FLOAT:
        number = value.float_value
    return NamedValue(value.name.decode(), value.source.decode(), number)


def make_error(status: int, record: Optional[Any]) -> Error:
    """The exception for a status; `record` is a `tally_rt_error`, or None."""
    kind = _CLASSES.get(status, Error)
    if record is None:
        return kind(f"the call failed with status {status}")
    texts = ("expression", "user_message", "required_by", "declared_by", "file")
    fields = {name: getattr(record, name).decode() for name in texts}
    values = [_read_value(record.values[i]) for i in range(record.num_values)]
    return kind(
        record.message.decode(),
        line=record.line,
        column=record.column,
        values=values,
        **fields,
    )
