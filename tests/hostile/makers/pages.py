# SPDX-License-Identifier: BSD-3-Clause
"""F: an issue page that nobody should write, through everything that shows it."""
import html.parser
import os

from catalog import issue, prepare_arguments, write_release
from makers import CannotRun, Command
from objects import Repository
from values import as_bytes

TAGS = set("a article aside body br button caption code dd del details dialog div dl dt em fieldset footer form h1 h2 h3 h4 h5 h6 head header "
           "hr html input ins kbd label legend li link main mark meta nav ol option p pre search section select small span strong "
           "style textarea noscript blockquote sub summary sup svg path table tbody td tfoot th thead time title tr ul var wbr script".split())
SCHEMES = ("https://", "http://", "mailto:", "#")
MARK = "alert(1)"


class Page(html.parser.HTMLParser):
    """Collects what does not belong on a page."""

    def __init__(self):
        super().__init__()
        self.problems, self.scripts = [], 0
        self.in_script = False

    def handle_starttag(self, tag, attributes):
        if tag not in TAGS:
            self.problems.append("tag <%s>" % tag)
        self.in_script = tag == "script"
        for name, value in attributes:
            if name.startswith("on") or name in ("srcdoc", "formaction", "http-equiv-refresh"):
                self.problems.append("attribute %s" % name)
            is_local = name in ("href", "src") and ":" not in (value or "") and not (value or "").startswith(("/", "\\"))
            if name in ("href", "src", "action") and not is_local and not (value or "").startswith(SCHEMES):
                self.problems.append("%s to %r" % (name, value))

    def handle_endtag(self, tag):
        self.in_script = False

    def handle_data(self, data):
        if self.in_script and MARK in data:
            self.problems.append("a script of the page")


def check_pages(root):
    lines = []
    for directory, _, names in os.walk(root):
        for name in names:
            if name.endswith(".html"):
                page = Page()
                with open(os.path.join(directory, name), encoding="utf-8") as file:
                    page.feed(file.read())
                lines += ["%s: %s" % (name, problem) for problem in page.problems]
    return lines


def has_control_bytes(text):
    return any(byte < 0x20 and byte not in b"\n\t" or byte == 0x7F for byte in text)


def make(box, give, tools):
    repository = Repository(box.at("mirror", "h.git"))
    write_release(box, repository.commit(repository.tree([(b"100644", b"f", repository.blob(b"fine\n"))])))
    fix = {"id": "made-fix", "kind": "advice", "summary": give.get("summary", "Made")}
    page = issue("made", fix, {"Cause": "HERE"}, give.get("title"))
    for old, new in (("it fails", give.get("symptom")), ("https://example.org/1", give.get("link"))):
        if new:
            page = page.replace(old, new.replace('"', '\\"'))
    box.write("catalog/known_issues/made.md", page.encode().replace(b"HERE", as_bytes(give.get("text", "Text."))))

    def then(outcome):
        """Shown as text, as Markdown in OUT, and as HTML."""
        if outcome.kind != "ok":
            return []
        shown = tools.torchpatch_run(box, ["show", "issue", "made", "--catalog", box.at("catalog")])
        lines = [] if shown.kind == "ok" and not has_control_bytes(shown.out) else ["show issue: " + shown.kind]
        if lines:
            return lines
        if tools.torchpatch_run(box, ["docs", "--help"]).kind != "ok":
            raise CannotRun("shown as text and Markdown; this build has no command that makes pages of it")
        site = box.at("tmp", "site")
        made = tools.torchpatch_run(box, ["docs", "--format", "html", "--output", site, "--catalog", box.at("catalog")])
        if made.kind != "ok":
            return lines + ["docs: %s %s" % (made.kind, made.err.decode(errors="replace")[:300])]
        return lines + check_pages(site)

    return Command(prepare_arguments(box), then=then)
