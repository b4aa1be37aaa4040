"""Names of columns and tables, bare where the engine can read them so; words about a column."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from capcurve.numbers.arguments import arg, refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.sql.dialects import Dialect

SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Around the name of a column, and around that of a table, as it is often copied from a query.
COLUMN_QUOTES = {'"': '"'}
OF_TABLES = {'"': '"', "`": "`", "[": "]"}
# A part of a table's name: in quotes of one of three kinds, or all up to the next dot.
NAME_PART = re.compile(r'"(?:[^"]|"")+"|`(?:[^`]|``)+`|\[(?:[^\]]|\]\])+\]|[^.]*')
TABLE_PARTS = ("catalog", "schema", "table")
# Words that one of the dialects reserves, so that a column of that name stands in quotes. A list of
# our own: sqlglot's lists are empty for half of the dialects, and it would leave a column `order`
# bare. Too many words here do no harm, since a name of the list is written in quotes as the engine
# would have read it without them.
_WORDS = """
    access accessible account add aes128 aes256 all allowoverwrite alter analyse analyze and
    anti any array as asc asensitive asof assert_rows_modified asymmetric at audit authorization
    autoincrement az64 backup before begin between bigint binary blanksasnull blob both break
    browse bulk by bytedict bzip2 call cascade case cast change char character check checkpoint
    close cluster clustered coalesce collate collation column column_value columns comment
    commit compress compute concurrently condition connect connection constraint contains
    containstable continue convert create credentials cross cube cume_dist current
    current_catalog current_date current_role current_schema current_time current_timestamp
    current_user current_user_id cursor database databases date day_hour day_microsecond
    day_minute day_second dbcc deallocate dec decimal declare default deferrable define deflate
    defrag delayed delete delete_domain_id delta delta32k dense_rank deny desc describe
    deterministic disable disk distinct distinctrow distributed div do do_domain_ids double drop
    dual dump each else elseif empty emptyasnull enable enclosed encode encryption end enum
    errlvl escape escaped except exclude exclusive exec execute exists exit explain explicit
    external extract false fetch file fillfactor first_value float float4 float8 following for
    force foreign freetext freetexttable freeze from full fulltext function generated get glob
    globaldict256 globaldict64k goto grant group grouping groups gscluster gzip hash having
    high_priority holdlock hour_microsecond hour_minute hour_second identified identity
    identity_insert identitycol if ignore ignore_domain_ids ilike immediate in increment index
    infile initial initially inner inout insensitive insert int int1 int2 int3 int4 int8 integer
    intersect interval into io_after_gtids io_before_gtids is isnull issue iterate join
    json_table key keys kill lag lambda last_value lateral lead leading leave left level like
    limit linear lineno lines load localtime localtimestamp lock long longblob longtext lookup
    loop low_priority lun luns lzo lzop map master_bind master_demote_to_replica
    master_demote_to_slave master_ssl_verify_server_cert match maxextents maxvalue mediumblob
    mediumint mediumtext merge middleint minus minute_microsecond minute_second mlslabel mod
    mode modifies modify mostly16 mostly32 mostly8 national natural nested_table_id new no
    no_write_to_binlog noaudit nocheck nocompress nonclustered not nothing notnull nowait
    nth_value ntile null nullif nulls number numeric of off offline offset offsets oid old on
    online only open opendatasource openquery openrowset openxml optimize optimizer_costs option
    optionally or order organization out outer outfile over overlaps page_checksum parallel
    parse_vcol_expr partition pctfree percent percent_rank permissions pivot pivot_longer
    pivot_wider placing plan portion positional preceding precision prepare primary print prior
    proc procedure proto public purge qualify raiserror range rank raw read read_write readratio
    reads readtext real reconfigure recover recursive ref_system_id references regexp rejectlog
    release rename repeat replace replication require resignal resort resource respect restore
    restrict return returning revert revoke right rlike rollback rollup row row_number rowcount
    rowguidcol rowid rownum rows rule sample save schema schemas second_microsecond
    securityaudit select semantickeyphrasetable semanticsimilaritydetailstable
    semanticsimilaritytable semi sensitive separator session session_user set setuser share show
    shutdown signal similar size smallint snapshot some spatial specific sql sql_big_result
    sql_calc_found_rows sql_small_result sqlexception sqlstate sqlwarning ssl start starting
    statistics stats_auto_recalc stats_persistent stats_sample_pages stored straight_join struct
    successful summarize symmetric synonym sysdate system system_user table tablesample tag tdes
    terminated text255 text32k textsize then timestamp tinyblob tinyint tinytext to top trailing
    tran transaction treat trigger true truncate truncatecolumns try_cast try_convert tsequal
    tuple type uid unbounded undo union unique unlock unnest unpack unpivot unsigned update
    updatetext usage use user using utc_date utc_time utc_timestamp validate values varbinary
    varchar varchar2 varcharacter variadic varying verbose view virtual waitfor wallet when
    whenever where while window with within without write writetext xor year_month zerofill
"""
RESERVED = frozenset(_WORDS.split())


def identifier(
    word: object, what: str, dialect: Dialect, quotes: Mapping[str, str] = COLUMN_QUOTES
) -> exp.Identifier:
    r"""Return a name as the dialect has to have it: a simple one bare, so that its letters fold.

    In Snowflake `bad` is the column BAD, and "bad" is none. What stands in double quotes is taken
    as it is. Brackets and backticks are part of a column's name, which may have them.

    >>> from capcurve.sql.dialects import dialect_of
    >>> names = ["bad", "Order", "my bad", '"bad"', '"[a]"', "[a]"]
    >>> [identifier(name, "target", dialect_of("snowflake")).sql("snowflake") for name in names]
    ['bad', '"ORDER"', '"my bad"', '"bad"', '"[a]"', '"[a]"']
    """
    if not isinstance(word, str):
        raise TypeError(f"{refused(what)} be a name, got {word!r}")
    if not word.strip() or "\0" in word:
        raise ValueError(f"{refused(what)} be a name, got {word!r}")
    closing = quotes.get(word[0])
    if closing and len(word) > len(word[0] + closing) and word.endswith(closing):
        return exp.to_identifier(word[1:-1].replace(2 * closing, closing), quoted=True)
    if not SIMPLE.fullmatch(word) or (dialect.name == "oracle" and word.startswith("_")):
        return exp.to_identifier(word, quoted=True)
    if word.lower() in RESERVED:
        return exp.to_identifier(dialect.folded(word), quoted=True)
    return exp.to_identifier(word, quoted=False)


def table_named(name: object, dialect: Dialect) -> exp.Table:
    """Return a table by its name of one to three parts, under a name for its columns.

    >>> from capcurve.sql.dialects import dialect_of
    >>> table_named('risk."scored.2024"', dialect_of("postgres")).sql("postgres")
    'risk."scored.2024" AS capcurve_table'
    >>> table_named("main.loans", dialect_of("sqlite")).sql("sqlite")
    'main.loans AS loans'
    """
    if not isinstance(name, str):
        raise TypeError(f"{refused('table')} be the name of a table, got {name!r}")
    words = _parts(name)
    if len(words) > dialect.parts:
        known = ".".join(TABLE_PARTS[-dialect.parts :])
        raise ValueError(
            f"{arg(table=name)} has {len(words)} parts, and {dialect.name} names a table by at "
            f"most {dialect.parts}, {known}; put a part that holds a dot in double quotes"
        )
    found = [identifier(word, "table", dialect, OF_TABLES) for word in words]
    padded = [None] * (len(TABLE_PARTS) - len(found)) + found
    own = found[-1].copy() if SIMPLE.fullmatch(words[-1]) else exp.to_identifier("capcurve_table")
    named = dict(zip(("catalog", "db", "this"), padded, strict=True))
    return exp.Table(**named, alias=exp.TableAlias(this=own))


def _parts(name: str) -> list[str]:
    """Split a name at its dots, but not at those in quotes."""
    words, place = [], 0
    while True:
        found = NAME_PART.match(name, place)
        word = found[0] if found else ""
        place += len(word)
        if not word.strip() or name[place : place + 1] not in {"", "."}:
            raise ValueError(
                f"{arg(table=name)} is no name of a table; write catalog.schema.table, "
                "schema.table or table"
            )
        words.append(word)
        if place == len(name):
            return words
        place += 1


def about(words: str, column: exp.Expression, dialect: Dialect) -> exp.Expression:
    """Return an expression of the dialect about a column, which it calls `it`."""

    def put(node: exp.Expression) -> exp.Expression:
        return column.copy() if isinstance(node, exp.Column) and node.name == "it" else node

    found = sqlglot.parse_one(words, read=dialect.name).transform(put)
    return exp.paren(found) if isinstance(found, exp.Or) else found
