"""Sphinx configuration: ``sphinx-build -W --keep-going docs docs/_build``."""

from joingr_pyg import __version__

project = "joingr_pyg"
author = "the authors of joingr_pyg"
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build", "results_by_run"]

html_theme = "furo"
html_title = f"joingr_pyg {release}"
html_theme_options = {"navigation_with_keys": True}

myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "show-inheritance": True, "member-order": "bysource"}
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_custom_sections = [("Shapes", "notes")]
