"""What PyInstaller cannot see: modules that load when first used, and the files of the page."""

from PyInstaller.utils.hooks import collect_data_files, collect_submodules

hiddenimports = collect_submodules("capcurve")
datas = collect_data_files("capcurve")
