"""How Sphinx builds the documentation: `make docs` writes it to site/docs/, with every warning an error."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_ext")]
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

from gpbench import __version__  # noqa: E402

project = "gpbench"
copyright = "the gpbench developers, BSD-3-Clause"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_click",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "executed_blocks",
    "formulas",
    "generated_pages",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["examples", "_ext", "sg_execution_times.rst"]
nitpicky = False
default_role = "code"

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence", "substitution"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_inherit_docstrings = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": ["examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "reset_modules": ("matplotlib", "figure_style.reset"),  # the style comes after the reset to defaults
    "image_srcset": ["2x"],
    "abort_on_example_error": True,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "min_reported_time": 10_000,
    "write_computation_times": False,
    "nested_sections": False,
    "remove_config_comments": True,
    "matplotlib_animations": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "gpbench"
html_context = {"default_mode": "auto"}  # light or dark as the system of the reader says
html_static_path = ["_static"]
html_css_files = ["gpbench.css"]
html_js_files = ["gpbench.js"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "search": []}
html_theme_options = {
    "logo": {"text": "gpbench"},
    "navbar_start": ["navbar-logo"],
    "navbar_center": ["navbar-nav"],
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "header_links_before_dropdown": 8,
    "show_prev_next": True,
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "back_to_top_button": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
