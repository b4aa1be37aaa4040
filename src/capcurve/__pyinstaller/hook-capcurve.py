"""What PyInstaller cannot see: modules that load when first used, and the files of the page."""

from PyInstaller.utils.hooks import collect_data_files, collect_submodules

hiddenimports = [
    name
    for package in ("capcurve", "python_calamine", "backports", "compression")
    for name in collect_submodules(package, on_error="ignore")
]
datas = collect_data_files("capcurve")
