#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The page of a calling context tree can be used without a pointer: a bar that is tapped has its figures at the foot of the
# screen, the same as where a pointer rests, and nothing but the picture itself is wider than a phone's screen.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
# shellcheck disable=SC2046 # a list of options
$CC -O2 -g $("$PATHFDO" cflags --cc "$CC" --plugin "$PLUGIN" --instrument=context) "$TOP/testsuite/programs/context-cycles.c" -o cycles ||
	fail "context-cycles.c does not compile"
mkdir out
(cd out && ../cycles) || fail "cycles fails"
"$PATHFDO" context --html page.html out/* || fail "there is no page"
python3 - <<'END' || fail "the page is not right"
from xml.dom import minidom
page = minidom.parse("page.html")
text = lambda e: "".join(n.data for n in e.childNodes if n.nodeType == n.TEXT_NODE)
told = {p.getAttribute("id"): text(p) for p in page.getElementsByTagName("p") if p.getAttribute("class") == "figures"}
bars = {a.getAttribute("href")[1:]: text(a.getElementsByTagName("title")[0]) for a in page.getElementsByTagName("a")}
assert bars == told, (bars, told)
assert sorted(told.values()) == [ # of 12 calls
    "again, recursively: 25.00% with what it calls, 3 calls", "again: 66.67% with what it calls, 1 calls",
    "main: 100.00% with what it calls, 1 calls", "spin: 16.67% with what it calls, 2 calls",
    "spin: 33.33% with what it calls, 4 calls", "twice: 25.00% with what it calls, 1 calls"], told
END

command -v chromium >/dev/null || skip "there is no chromium to look at it (the page is well)"
# A bar is tapped in a copy without the policy, by a script that then writes down what is seen, and how wide the page is.
python3 - <<'END'
page = open("page.html").read().replace("default-src 'none';", "default-src 'none'; script-src 'unsafe-inline';")
open("tapped.html", "w").write(page.replace("</body>", """<script>
const seen = () => [...document.querySelectorAll("p.figures")].filter(p => getComputedStyle(p).display != "none");
const before = seen().length;
location.hash = [...document.querySelectorAll("a")].find(a => a.textContent.startsWith("twice")).getAttribute("href");
addEventListener("load", () => { document.title = [before, seen().map(p => p.textContent),
	seen().every(p => p.getBoundingClientRect().bottom == innerHeight), document.documentElement.scrollWidth <= innerWidth].join("/"); });
</script></body>"""))
END
browser --window-size=500,900 --dump-dom "file://$T/tapped.html" >dom || skip "chromium does not run here: $(tail -n 1 browser.log)"
check_eq "what a tap on the bar of 'twice' shows, at the foot of a page that is not too wide" "$(sed -n 's/.*<title>\([0-9].*\)<.title>.*/\1/p' dom)" \
	"0/twice: 25.00% with what it calls, 1 calls/true/true"
