#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The page of paths, of those that a program counted and of recorded ones: well-formed, foreign text escaped; the lines and the blocks
# that are marked are those of the path; the drawn graph's boxes stand apart, and its edges lead downwards but for those that
# go back; and in a browser nothing reaches beyond the window, nor a name beyond its box.
set -eu
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"
[ -f "$PLUGIN" ] || skip "there is no plugin"
cd "$T"
mkdir src out
# The function's own text tells lines apart; one of them would be markup.
sed 's|seen = 8;|seen = 8; /* <script>alert("\&")</script> */|' "$TOP/testsuite/programs/paths-counted.c" >src/counted.c
# shellcheck disable=SC2046 # a list of options
(cd src && $CC -O0 -g $("$PATHFDO" cflags --cc "$CC" --plugin "$PLUGIN" --instrument=paths) counted.c -o ../counted) || fail "it does not compile"
(cd out && ../counted 3)
"$PATHFDO" paths --exact --html=page.html --source=src out/*.paths || fail "it ends with $?"
! grep -qF '<script>alert' page.html || fail "foreign text is markup"
grep -q "default-src 'none'" page.html || fail "there is no policy"
cat >look.py <<'END'
import re, sys, xml.dom.minidom
page = xml.dom.minidom.parse(sys.argv[1])
text = lambda node: "".join(text(c) if c.childNodes else (c.data if c.nodeType == 3 else "") for c in node.childNodes)
named = lambda node, tag: node.getElementsByTagName(tag)
is_on = lambda node: "on" in node.getAttribute("class").split()
sections = {s.getAttribute("id"): s for s in named(page, "section")}
assert [a.getAttribute("href") for a in named(page, "a")] == ["#p%d" % (i + 1) for i in range(len(sections))]

def marks(section):
    """Which of the function's stores are marked in the source."""
    on, off = set(), set()
    for row in named(section, "tr"):
        store = re.search(r"seen = (\d)", text(row))
        if store:
            (on if is_on(row) else off).add(int(store[1]))
    return on, off

def check_picture(section):
    (svg,) = named(section, "svg")
    width, height = float(svg.getAttribute("width")), float(svg.getAttribute("height"))
    boxes = []
    for rect in named(svg, "rect"):
        x, y, w, h = (float(rect.getAttribute(a)) for a in ("x", "y", "width", "height"))
        assert x >= 0 and y >= 0 and x + w <= width and y + h <= height, "a box outside of the picture"
        assert not any(x < X + W and X < x + w and y < Y + H and Y < y + h for X, Y, W, H in boxes), "boxes that meet"
        boxes.append((x, y, w, h))
    blocks = [b for b in named(svg, "g")]
    names = [text(named(b, "text")[0]) for b in blocks]
    assert names.count("entry") == 1 and names.count("exit") == 1, names
    edges = [e for e in named(svg, "path")]
    for edge in edges:
        numbers = [float(n) for n in re.findall(r"-?[0-9.]+", re.split("[vm]", edge.getAttribute("d"))[0])]
        back = "back" in edge.getAttribute("class").split()
        assert (numbers[-1] < numbers[1]) == back, "an edge that leads the wrong way"
    # A path is a chain: as many blocks as it has edges, and one, unless it ends with an edge that goes back.
    on = [b for b in blocks if is_on(b)]
    pieces = [e for e in edges if is_on(e) and "back" not in e.getAttribute("class").split() and "m-3.5" in e.getAttribute("d")]
    assert len(on) == len(pieces) + 1, (len(on), len(pieces))
    assert all(is_on(b) == (text(named(b, "title")[0]) in {text(named(o, "title")[0]) for o in on}) for b in blocks)
    return names
END
cat >counted.py <<'END'
exec(open("look.py").read())
rows = [[text(c) for c in named(r, "td")] for r in named(page, "tr")]
rows = [r for r in rows if len(r) == 6 and r[3] == "figure"]
assert [r[2] for r in rows] == ["3000", "1500", "900", "3"], rows
# What each path stores, and what it passes by, as the program's table of choices says.
wanted = {"3000": {5, 6, 8}, "1500": {4, 7, 8}, "900": {1, 2, 8}, "3": {3, 8}}
for section in sections.values():
    check_picture(section)
    times = re.search(r"([0-9]+) times", text(section))[1]
    if "figure, path" in text(section):
        on, off = marks(section)
        assert on == wanted[times] and off and not on & off, (times, on, off)
assert len(sections) >= 4
END
grep -q '<p>of [0-9]* executions; hot are 1% or more</p>' page.html || fail "the classes are not told"
python3 counted.py page.html || fail "the page is not what the program counted"
# Without its source a path still has its lines.
(mkdir elsewhere && cd elsewhere && "$PATHFDO" paths --exact --html=page.html ../out/*.paths)
grep -q 'counted.c - the source is not here; --source=DIR says where it is' elsewhere/page.html || fail "nothing tells that the source is not here"
# A loop, and a large graph of which the path alone is drawn.
{
	echo 'volatile long seen; int main(int argc, char **argv) { for (int i = 0; i < 100; i++) {'
	for i in $(seq 120); do echo "if (argc > $i) seen += $i;"; done
	echo '} return 0; }'
} >src/large.c
# shellcheck disable=SC2046
(cd src && $CC -O0 -g $("$PATHFDO" cflags --cc "$CC" --plugin "$PLUGIN" --instrument=paths) large.c -o ../large) || fail "it does not compile"
(cd out && ../large)
"$PATHFDO" paths --exact --html=large.html --source=src out/large.*.paths
python3 - <<'END' || fail "the page of a large graph is not right"
import sys
sys.argv = ["", "large.html"]
exec(open("look.py").read())
assert "those of the path" in text(sections["p1"])
assert len(named(sections["p1"], "g")) < 200
edges = [e for e in named(page, "path") if is_on(e)]
assert any("back" in e.getAttribute("class").split() for e in edges), "the loop's end is not drawn"
END
refused 2 "\-\-html is without" paths --exact --html=x.html --json out/counted.*.paths
refused 2 "\-\-source goes with" paths --exact --source=src out/counted.*.paths
refused 2 "\-\-source" paths --exact --html=x.html --source=nowhere out/counted.*.paths
for option in --output=x.prof --against=x --links=5 --credit=none --weight=none --length=3 --every=2; do
	refused 2 "${option%%=*} has no meaning for counted paths" paths --exact $option out/counted.*.paths
done
cp out/counted.*.paths copy.1.paths
refused 1 "which would be lost" paths --exact --html=copy.1.paths copy.1.paths
cmp -s out/counted.*.paths copy.1.paths || fail "a file that was to be read is lost"

# A recording's paths are drawn on the machine code's graph.
$CC -O0 -g -w src/counted.c -o plain
if "$PATHFDO" record --source=soft -F 250 --max-overhead=50 -o p.data -- ./plain 20000 >/dev/null 2>log; then
	"$PATHFDO" paths -b plain --html=recorded.html --source=src --credit=none --top=6 p.data || fail "no page of a recording: $?"
	python3 - <<'END' || fail "the page of a recording is not right"
import sys
sys.argv = ["", "recorded.html"]
exec(open("look.py").read())
seen = []
for section in sections.values():
    check_picture(section)
    if "figure, path" in text(section):
        seen.append(sorted(marks(section)[0]))
assert [5, 6, 8] in seen and [4, 7, 8] in seen, seen
END
	cp p.data q.data
	refused 1 "which would be lost" paths -b plain --html=q.data q.data
fi

command -v chromium >/dev/null || skip "there is no chromium to look at it (the page is well)"
# A browser says how wide the page is, and how many names are wider than their boxes: a copy without the policy, with a script.
sed -e "s/default-src 'none'; style-src/default-src 'none'; script-src 'unsafe-inline'; style-src/" \
	-e 's|</body>|<script>/*<![CDATA[*/let wide = 0; for (const g of document.querySelectorAll("g.block")) wide += g.querySelector("text").getBBox().width \&gt; g.querySelector("rect").getBBox().width; document.title = document.documentElement.scrollWidth + " " + innerWidth + " " + wide;/*]]>*/</script></body>|; s|\&gt; g.query|> g.query|' \
	page.html >measured.html
for width in 1280 500; do
	browser --window-size=$width,900 --dump-dom "file://$T/measured.html" >dom || skip "chromium does not run here: $(tail -n 1 browser.log)"
	title=$(sed -n 's/.*<title>\([0-9]* [0-9]* [0-9]*\)<.*/\1/p' dom | head -n 1)
	read -r page window wide <<<"$title"
	check_within "the page's width in a window of $window" "$page" 1 "$window"
	check_eq "names that are wider than their boxes" "$wide" 0
done
browser --window-size=390,900 --screenshot="$T/phone.png" "file://$T/page.html" || skip "chromium takes no screenshot: $(tail -n 1 browser.log)"
[ "$(stat -c %s phone.png)" -gt 5000 ] || fail "the screenshot is empty"
