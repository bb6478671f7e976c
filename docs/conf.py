"""Configuration of the documentation site: ``make docs``."""

import os
import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "bayesieve"
author = "the bayesieve developers"
copyright = author
release = installed("bayesieve")
version = release

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "numpydoc",
    "myst_parser",
    "command_help",
    "docstring_names",
    "example_gallery",
    "live_report",
    "repository_links",
]
exclude_patterns = ["_build", "_ext", "_templates", "papers/prose"]
templates_path = ["_templates"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
nitpicky = False

# A name in single quotation marks is a link if it is documented, and code otherwise.
default_role = "py:obj"
autodoc_typehints = "none"  # numpydoc's sections have the types
autosummary_generate = True
numpydoc_show_class_members = False  # the template of classes lists them
numpydoc_xref_param_type = False

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# Links to the objects of other libraries need the network: BAYESIEVE_INTERSPHINX=1 make docs.
intersphinx_mapping = (
    {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
    }
    if os.environ.get("BAYESIEVE_INTERSPHINX")
    else {}
)
linkcheck_timeout = 20

html_theme = "pydata_sphinx_theme"
html_title = "bayesieve"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 8,
    "switcher": {
        "json_url": "https://bayesieve.readthedocs.io/en/stable/_static/versions.json",
        "version_match": version,
    },
    "navbar_end": ["version-switcher", "theme-switcher", "navbar-icon-links"],
    "check_switcher": False,
}
html_context = {"default_mode": "auto"}
html_sidebars = {"index": [], "comparison": [], "changes": []}
