"""Workbooks as a spreadsheet reads them: what is stored, and what LibreOffice calculates."""

import re
import shutil
import subprocess
import zipfile

import openpyxl

# Without this LibreOffice believes the values that are stored beside formulas.
ALWAYS_RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""


def cells_of(path):
    """Return what is stored in each cell that holds something, by sheet and address."""
    book = openpyxl.load_workbook(path, data_only=True)
    return {
        (sheet.title, cell.coordinate): cell.value
        for sheet in book
        for row in sheet.iter_rows()
        for cell in row
        if cell.value is not None
    }


def formulas_of(path):
    """Return the formula of each cell that has one, by sheet and address."""
    book = openpyxl.load_workbook(path)
    return {
        (sheet.title, cell.coordinate): cell.value
        for sheet in book
        for row in sheet.iter_rows()
        for cell in row
        if cell.data_type == "f"
    }


def recalculated(paths, folder):
    """Let LibreOffice calculate workbooks anew; return those it writes."""
    program = shutil.which("soffice")
    profile, out = folder / "profile", folder / "recalculated"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(ALWAYS_RECALCULATE)
    call = [program, f"-env:UserInstallation={profile.as_uri()}", "--headless"]
    call += ["--convert-to", "xlsx", "--outdir", out, *paths]
    subprocess.run(call, check=True, capture_output=True, timeout=200)
    return [out / path.name for path in paths]


def parts_of(path, name):
    """Return the texts of a workbook's parts whose names match."""
    with zipfile.ZipFile(path) as book:
        found = [each for each in book.namelist() if re.search(name, each)]
        return {each: book.read(each).decode() for each in found}


def found_in(cells, sheet, label, column):
    """Return what stands in a column of the row that begins with a label."""
    place = next(where for where, value in cells.items() if where[0] == sheet and value == label)
    return cells.get((sheet, f"{column}{re.sub(r'[A-Z]', '', place[1])}"))
