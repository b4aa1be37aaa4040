"""A command is a record: its fields are its options, and it returns what is to be written."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field, fields, replace
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

from capcurve.cli.errors import Failure
from capcurve.cli.examples import EXAMPLES
from capcurve.cli.options import (
    COLUMNS,
    DETAILS,
    SECTIONS,
    WRITTEN,
    Request,
    Said,
    of_classes,
    options_of,
)
from capcurve.cli.output import (
    POSITIVE_WORD,
    SCHEMA_VERSION,
    AsTyped,
    Destination,
    fitted,
    in_typed_words,
    positive_word,
    reader_may_leave,
    refuse_overwriting,
    save,
    tell_all,
    waiting,
)
from capcurve.show import PICTURES
from capcurve.show.text import MARKUPS, result_text, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from capcurve.cli.output import Columns, Formats, Told
    from capcurve.cli.reading import CountsByScore
    from capcurve.show.presentation import Finding, Light, Presentation


OF_ROWS_LEFT_OUT = {"dropped_rows", "dropped_labels", "no_exposure"}
MOST_USED = "Most used"
# What a docstring has below this line, help shows below the options.
IN_DETAIL = "In detail"
# What most calls say, whatever the command.
USUAL_OPTIONS = ("target", "score", "higher_is", "by", "missing", "output")
# Formats of numbers or a picture alone.
WITHOUT_NOTES = ("csv", "xlsx", *(suffix[1:] for suffix in PICTURES))


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a command found: in every format, and what else is said of it on stderr."""

    json: Callable[[], object]
    text: Callable[[Destination], str]  # for a screen, or another document
    columns: Callable[[], Columns] = dict  # csv, with all digits
    # The formats that only a file can have.
    files: Mapping[str, Callable[[Path], None]] = field(default_factory=dict)
    told: Sequence[Told] = ()  # notes, and findings by score
    # Notes that are part of a text, a page and JSON, and are told where only numbers or a picture
    # are written.
    notes: Sequence[str] = ()
    # What is said on stderr where the result goes to a file: the headline with its light.
    headline: Sequence[tuple[str, Light | None]] = ()
    code: int = 0  # the exit code

    def emit(self, to: Destination) -> int:
        """Write all in the format asked for, say what there is to say and return the exit code."""
        with reader_may_leave():
            if to.form in self.files:
                save(to.path, self.files[to.form], self.headline)
            else:
                with waiting("writing"):
                    written = self._written(to)
                to.emit(written, self.headline)
        tell_all([*(self.notes if to.form in WITHOUT_NOTES else ()), *self.told])
        return self.code

    def _written(self, to: Destination) -> str:
        if to.form == "json":
            return to_json(self.json())
        return to.as_csv(self.columns()) if to.form == "csv" else self.text(to)


def of_columns(
    title: str,
    columns: Callable[[], Columns],
    *,
    json: Callable[[], Mapping[str, object]],
    told: Sequence[Told] = (),
    source: str | None = None,
    added_up: bool = False,
) -> Output:
    """Return columns in every format; `added_up` as `write_table` has it."""
    return Output(
        json=lambda: {"schema_version": SCHEMA_VERSION, **json()},
        columns=columns,
        text=lambda to: to.in_columns(columns()),
        files={"xlsx": workbook(title, columns, source, added_up=added_up)},
        told=told,
    )


def workbook(
    title: str, columns: Callable[[], Columns], source: str | None, **how: Any
) -> Callable[[Path], None]:
    """Return what writes columns as a workbook."""

    def write(path: Path) -> None:
        from capcurve.show.workbook import write_table

        speaks = AsTyped.asked()
        write_table(title, columns(), path, source=source, speaks=speaks, **how)

    return write


def page_and_picture(shown: Callable[[], Presentation]) -> dict[str, Callable[[Path], None]]:
    """Return what writes the page of a result, and the first of its pictures."""

    def page(path: Path) -> None:
        from capcurve.show.html import render_result

        path.write_bytes(render_result(in_typed_words(shown())).encode("utf-8", "backslashreplace"))

    def picture(path: Path) -> None:
        from capcurve.show.canvas import plot_chart, save_picture
        from capcurve.show.elements import origin

        found = in_typed_words(shown())
        if not found.charts:
            raise Failure(f"there is nothing to draw: {' '.join(found.sentences[:1])}")
        about = {"title": found.title, "source": origin(found.source)}
        save_picture(plot_chart(found.charts[0]), path, **about)

    return {"html": page, **dict.fromkeys((suffix[1:] for suffix in PICTURES), picture)}


def of_result(
    json: Callable[[], object],
    shown: Presentation,
    spare: Sequence[str] = (),
    *,
    columns: Callable[[], Columns] | None = None,
    counted: Iterable[CountsByScore] = (),
    **changed: Any,
) -> Output:
    """Return a result in every format, with its findings."""
    # `shown` is what it shows, with its source; `spare` are the columns of its tables that a narrow
    # terminal may do without; `columns` are those of csv and workbooks, the first table if left
    # out; `counted` are the counts it is made of.
    plain, shown = shown, in_typed_words(shown)
    numbers = columns or (lambda: plain.tables[0].values())  # noqa: PLW0108 - an audit may have no table
    about_counts = [each.always() for each in counted]
    document = with_rows_left_out(shown, about_counts)

    def text(to: Destination) -> str:
        if to.form in MARKUPS:
            return MARKUPS[to.form].result(document)
        return text_of(shown, to, spare)

    found = Output(
        json=json,
        columns=numbers,
        text=text,
        files={
            **page_and_picture(lambda: document),
            "xlsx": workbook(shown.title, numbers, shown.source),
        },
        told=[{"": shown.findings}, *about_counts],
        headline=headline_of(shown),
    )
    return replace(found, **changed)


def headline_of(shown: Presentation) -> list[tuple[str, Light | None]]:
    """Return the first sentence of a result with its light, as far as there is one."""
    return [(said, shown.light) for said in shown.sentences[:1]]


def text_of(shown: Presentation, to: Destination, spare: Sequence[str] = ()) -> str:
    """Return a result as text for a screen; its findings are on standard error."""
    return result_text(
        in_typed_words(shown),
        width=to.width,
        emphasis=to.strong,
        lit=to.lit,
        wrap=to.wrap,
        fit=lambda columns: fitted(columns, to.width, spare),
        findings=False,
    )


def with_rows_left_out(
    shown: Presentation, about_counts: Iterable[Mapping[str, Iterable[Finding]]]
) -> Presentation:
    """Return what a document shows: also which rows were left out, for it has no stderr."""
    said = "\n".join([*(each.message for each in shown.findings), *shown.notes])
    more = [
        replace(each, message=f"{name}: {each.message}" if len(about) > 1 else each.message)
        for about in about_counts
        for name, found in about.items()
        for each in found
        if each.code in OF_ROWS_LEFT_OUT and each.message not in said
    ]
    return replace(shown, findings=(*shown.findings, *more))


class ListedCommand(click.Command):
    """A command whose help shows two examples, lists options under headings and ends in detail."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then what each option is for; the most used come first."""
        with formatter.section("Examples"):
            formatter.write("".join(f"  {line}\n" for line in EXAMPLES[self.name or ""]))
        for section, records in self.groups(ctx).items():
            with formatter.section(section):
                formatter.write_dl(records)

    def groups(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return how options are typed and what they are for, under the headings that have any."""
        listed: dict[str, list[tuple[str, str]]] = {each: [] for each in (MOST_USED, *SECTIONS)}
        typed = {word for line in EXAMPLES[self.name or ""] for word in line.split()}
        for param in sorted(self.get_params(ctx), key=_place):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is None:
                continue
            usual = param.required or param.name in USUAL_OPTIONS
            first = usual or not typed.isdisjoint(param.opts)
            listed[MOST_USED if first else getattr(param, "section", WRITTEN)].append(record)
        return {section: records for section, records in listed.items() if records}

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """Write what few readers need: the first screen is for what all of them need."""
        if self.epilog:
            with formatter.section(IN_DETAIL):
                formatter.write_text(self.epilog)


def _place(param: click.Parameter) -> int:
    """Return where help lists an option: the usual ones first, in the order of most commands."""
    return USUAL_OPTIONS.index(param.name) if param.name in USUAL_OPTIONS else len(USUAL_OPTIONS)


@dataclass(frozen=True, kw_only=True)
class Command:
    """What a command is asked."""

    request: Request

    def options(self, *names: str) -> dict[str, Any]:
        """Return some options by their names, as functions of the library take them."""
        return {name: getattr(self, name) for name in names}

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
        with waiting("computing"):
            found = self.result()
        return found.emit(self.to)


def _collect_from_here() -> None:
    """Turn garbage collection on if the process began without it, and spare what is loaded."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def command(
    name: str,
    *,
    files: str = "FILE...",
    columns: Sequence[str] = COLUMNS,
    details: Sequence[str] = DETAILS,
    texts: Mapping[str, str] | None = None,
    writes: Formats | None = None,
    worded: bool = False,
    refuses: Mapping[str, str] | None = None,
) -> Callable[[type[Command]], click.Command]:
    """Make a command of the click library of a record; its docstring is the help."""
    # Its own options stand between the `columns` and the `details` of a request, which have help
    # `texts` of its own where another command's would be wrong. `refuses` are the conditions under
    # which nothing can be done, with what is said; options among them are read and not listed.
    refuses = refuses or {}
    known = {each.name for each in fields(Request)}
    refused = known.intersection(name for rule in refuses for name in rule.split("|"))
    columns = [*columns, *sorted(refused.difference(columns, details))]
    asked = [*columns, *details, *(["file"] if files else ())]

    def declare(kind: type[Command]) -> click.Command:
        def call(**values: Any) -> int | None:
            refuse_overwriting(params, values)
            Said.of(values).refuse_by(Request, ["scores_except"])
            if "score" in asked:
                values["score"] = _scores(kind, asked, values)
            noun = values.pop("positive_word", None)
            if noun and values.get("amount"):
                raise click.UsageError(of_classes("--positive-word is", "leave it out"))
            click.get_current_context().meta[POSITIVE_WORD] = noun
            said = Said.of(values)
            said.refuse(refuses)
            said.refuse_by(Request, asked)
            request = Request(**{each: values.pop(each) for each in asked})
            if writes is not None:
                values["to"] = writes.destination(values)
            said.refuse_by(kind, values)
            _collect_from_here()
            return kind(request=request, **values).run()

        params: list[click.Parameter] = [
            *options_of(Request, columns, texts, refused),
            *options_of(kind),
            *(writes.options() if writes else ()),
            *([positive_word()] if writes or worded else ()),
            *options_of(Request, details, texts, refused),
        ]
        if files:
            many = files.endswith("...")
            kept = click.Argument(
                ["file"], nargs=-1 if many else 1, required=True, metavar=files, callback=_as_tuple
            )
            params.insert(0, kept)
        text, _, rest = cleandoc(kind.__doc__ or "").partition(f"\n\n{IN_DETAIL}:\n\n")
        return ListedCommand(name, params=params, callback=call, help=text, epilog=rest)

    return declare


def _as_tuple(_: click.Context, __: click.Parameter, value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def _scores(kind: type[Command], asked: Sequence[str], given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the scores by name: those that patterns and --scores-except stand for too."""
    request = Request(**{each: given[each] for each in asked})
    if not request.scores_except and not any("*" in name for name in request.score):
        return request.score
    from capcurve.cli.proposing import scores_meant
    from capcurve.cli.reading import files_of

    declared = (each for each in (*fields(Request), *fields(kind)) if each.metadata)
    of_columns = [each.name for each in declared if each.metadata["how"]["metavar"] == "COLUMN"]
    roles = [given[name] for name in of_columns if name != "score" and name in given]
    others = [name for role in roles for name in (role if isinstance(role, tuple) else [role])]
    return tuple(scores_meant(request, files_of(request), others))
