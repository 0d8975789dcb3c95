#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The page of a profile: well-formed, with foreign text escaped, and in a browser as wide as a desktop's and a phone's window,
# light and dark: nothing reaches beyond the window, and the hottest line is the most coloured.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$T"
{
	printf 'int work(int n) /* <script>alert("&")</script> f\303\274r alle \377 */\n{\n\tint sum = 0;\n\tfor (int i = 0; i < n; i++)\n\t\tsum += i %% 7'
	printf ' + i %% 11%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
	printf ';\n\treturn sum;\n}\n'
} >app.c
cat >app.txt <<'END'
pathfdo-profile 1
unit executions
from soft event pathfdo-soft binary "/srv/a <b> & c" build-id 0123abcd samples 100 lost 0 tool t
function work app.c:1 head 10
  3 count 500
  4 count 6000
  5 count 10
  path 25 3 4
function "<img src=x>" "\"q\" & 'r'.c":7 head 2
  1 count 3
function _ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRKiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_ /usr/include/c++/12/bits/vector.tcc:439 head 9
  3 count 40
END
"$PATHFDO" show --from-text app.txt -o app.pfdo
"$PATHFDO" show --html page.html app.pfdo || fail "it ends with $?"
for raw in '<script>alert' '<img src=x>' 'a <b>'; do
	! grep -qF "$raw" page.html || fail "foreign text is markup: $raw"
done
grep -qF $'f\303\274r alle \357\277\275 ' page.html || fail "letters beyond ASCII are not those of the source: $(grep -m1 alle page.html)"
grep -q "script-src\|default-src 'none'" page.html || fail "there is no policy"
if command -v python3 >/dev/null; then
	python3 - <<'END' || fail "the page is not what the profile has"
import re, xml.dom.minidom
page = xml.dom.minidom.parse("page.html")
rows = page.getElementsByTagName("tr")
text = lambda node: "".join(text(c) if c.childNodes else (c.data if c.nodeType == 3 else "") for c in node.childNodes)
heat = {}
for row in rows:
    cells = [text(c) for c in row.getElementsByTagName("td")]
    if len(cells) == 4 and cells[2].isdigit() and row.getAttribute("style"):
        heat[int(cells[2])] = (cells[0], float(re.search(r",([0-9.]+)\)", row.getAttribute("style")).group(1)))
assert heat[5][0] == "6,000" and heat[4][0] == "500", heat
assert heat[5][1] > heat[4][1] > 0, heat
assert any("work" in text(r) and "91.8%" not in text(r) and "99.3%" in text(r) for r in rows), "share: 6510 of 6553"
END
fi
refused 2 "--html is of the whole" show --html page.html --summary app.pfdo
refused 1 "which would be lost" show --html app.pfdo app.pfdo
command -v chromium >/dev/null || skip "there is no chromium to look at it (the page is well)"
command -v python3 >/dev/null || skip "there is no python3 to look at pictures"
# A browser says how wide the page is: a copy without the policy, with a script that writes it down.
sed -e "s/default-src 'none'; style-src/default-src 'none'; script-src 'unsafe-inline'; style-src/" \
	-e 's|</body>|<iframe id="w"></iframe><script>/*<![CDATA[*/document.title = document.documentElement.scrollWidth + " " + innerWidth;/*]]>*/</script></body>|' \
	-e 's|<iframe id="w"></iframe>||' page.html >measured.html
for width in 1280 500; do
	browser --window-size=$width,900 --dump-dom "file://$T/measured.html" >dom || skip "chromium does not run here: $(tail -n 1 browser.log)"
	title=$(sed -n 's/.*<title>\([0-9]* [0-9]*\)<.*/\1/p' dom | head -n 1)
	check_within "the page's width in a window of ${title#* }" "${title% *}" 1 "${title#* }"
done
browser --window-size=390,900 --screenshot="$T/phone.png" "file://$T/page.html" || skip "chromium takes no screenshot: $(tail -n 1 browser.log)"
[ "$(stat -c %s phone.png)" -gt 5000 ] || fail "the screenshot is empty"
