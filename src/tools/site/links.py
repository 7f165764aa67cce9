"""Links of the pages to files of the repository that are no pages lead to the repository on the site."""

import os
import posixpath
import re

# ](target), but not ](https://…) and not ](#anchor)
LINK = re.compile(r"(\]\()(?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?(\))")


def on_page_markdown(markdown, page, config, files):
    """Rewrites the links of one page; called by MkDocs before it reads the Markdown."""
    root = config["repo_url"].rstrip("/")
    ref = os.environ.get("SITE_REF", "main")
    folder = posixpath.dirname(page.file.src_uri)

    def rewritten(link):
        opening, target, anchor, closing = link.groups()
        path = posixpath.normpath(posixpath.join("docs", folder, target))
        inside = path == "docs" or path.startswith("docs/")
        if inside and (path.endswith(".md") or posixpath.splitext(path)[1] in {".svg", ".png"}):
            return link.group(0)
        return f"{opening}{root}/blob/{ref}/{path}{anchor or ''}{closing}"

    return LINK.sub(rewritten, markdown)
