"""A command as a record: its fields are its options, and it returns what is to be written."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from capcurve.cli.options import COLUMNS, DETAILS, Request, Said, options_of
from capcurve.cli.output import Destination  # noqa: TC001 - the types of fields are read

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from capcurve.cli.output import Formats, Output


@dataclass(frozen=True, kw_only=True)
class Command:
    """What a command is asked."""

    request: Request

    def run(self) -> int | None:
        """Do what is asked, and return an exit code other than 0 or None."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class ShowsResult(Command):
    """A command that writes what it finds in the format asked for."""

    to: Destination

    def result(self) -> Output:
        """Return what was found."""
        raise NotImplementedError

    def run(self) -> int:
        """Write what was found, and return the exit code."""
        return self.result().emit(self.to)


def command(
    name: str,
    *,
    files: str = "FILE...",
    columns: Sequence[str] = COLUMNS,
    details: Sequence[str] = DETAILS,
    texts: Mapping[str, str] | None = None,
    writes: Formats | None = None,
    refuses: Mapping[str, str] | None = None,
) -> Callable[[type[Command]], click.Command]:
    """Make a command of the click library of a record; its docstring is the help.

    Its own options stand between the `columns` and the `details` of a request, which have help
    `texts` of its own where another command's would be wrong. `refuses` are the conditions under
    which nothing can be done, with what is said.
    """
    asked = [*columns, *details, *(["file"] if files else ())]

    def declare(kind: type[Command]) -> click.Command:
        def call(**values: Any) -> int | None:
            said = Said.of(values)
            said.refuse_by(Request, asked)
            request = Request(**{each: values.pop(each) for each in asked})
            if writes is not None:
                values["to"] = writes.destination(values, [*request.file, *_inputs(kind, values)])
            said.refuse(refuses or {})
            said.refuse_by(kind, values)
            return kind(request=request, **values).run()

        params = [
            *options_of(Request, columns),
            *options_of(kind),
            *(writes.options() if writes else ()),
            *options_of(Request, details, texts or {}),
        ]
        if files:
            many = files.endswith("...")
            kept = click.Argument(
                ["file"], nargs=-1 if many else 1, required=True, metavar=files, callback=_as_tuple
            )
            params.insert(0, kept)
        return click.Command(name, params=params, callback=call, help=kind.__doc__)

    return declare


def _as_tuple(_: click.Context, __: click.Parameter, value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def _inputs(kind: type[Command], values: Mapping[str, Any]) -> list[str]:
    """Return the further files that are to be read."""
    named = [each.name for each in fields(kind) if each.metadata.get("is_input")]
    return [values[name] for name in named if values[name] is not None]
