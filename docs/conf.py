"""How the documentation site is built: `make docs`, into docs/_build/html."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "capcurve"
author = "The capcurve developers"
project_copyright = author

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "commands",  # a page for each command, see _ext/commands.py
    "reference",  # types of parameters, examples of records, see _ext/reference.py
    "shown",  # what examples in the pages draw, see _ext/shown.py
]
root_doc = "index"
templates_path = ["_templates"]
exclude_patterns = ["_build", "gallery/*.ipynb", "gallery/*.md5"]

# Pages are Markdown; `[ties](#ties)` finds a heading, `x` in a docstring the thing of that name.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
default_role = "py:obj"

autosummary_generate = True
# Where capitals and small letters make no different file names, `KS` needs one apart from `ks`.
autosummary_filename_map = {"capcurve.KS": "capcurve.KS-found"}
autodoc_typehints = "none"  # _ext/reference.py writes them beside each parameter
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
add_module_names = False
numpydoc_show_class_members = False
toc_object_entries = False

sphinx_gallery_conf = {
    "examples_dirs": ["../examples/pictures"],
    "gallery_dirs": ["gallery"],
    "backreferences_dir": "gallery/uses",
    "doc_module": ("capcurve",),
    "within_subsection_order": "FileNameSortKey",
    "image_srcset": ["2x"],
    "capture_repr": ("_repr_html_",),
    "image_scrapers": ("shown.drawn",),
    "notebook_extensions": set(),
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 3600,
    "write_computation_times": False,
    "abort_on_example_error": True,
}

# Copies what is typed, without prompts and without what is printed.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_copy_empty_lines = False

html_theme = "pydata_sphinx_theme"
html_title = "capcurve"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None
html_context = {"default_mode": "auto"}
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "back_to_top_button": False,
    "show_prev_next": True,
}
html_sidebars = {"index": [], "getting-started": [], "tour": [], "migration": []}
