# SPDX-License-Identifier: GPL-3.0-or-later
# What people do to logs with awk; mode decides the mix, so that training and measurement differ.
BEGIN { FS = "[ \t]+" }

{
	level[$2]++
	split($1, stamp, "-")
	minute[stamp[1] % 97]++
	spent[$4] += $5
	for (i = 6; i <= NF; i++)
		words[$i]++
}

/error|warn.*user[0-9]+7/ { problems++ }

mode != "train" && NR % 3 == 0 {
	line = $0
	gsub(/user([0-9]+)/, "someone", line)
	sub(/ +$/, "", line)
	longest = length(line) > length(longest) ? line : longest
	sum += length(toupper(substr(line, 5, 40)))
}

mode == "train" && NR % 5 == 0 {
	line = $0
	gsub(/[aeiou]/, "", line)
	sum += length(line) + index($0, "zor")
}

NR % 7 == 0 { checksum = (checksum * 31 + int($5 * 100)) % 1000003 }

END {
	for (w in words)
		if (words[w] > best) {
			best = words[w]
		}
	n = 0
	for (u in spent)
		total[n++] = spent[u]
	for (i = 1; i < n && i < 900; i++) {
		v = total[i]
		for (j = i - 1; j >= 0 && total[j] > v; j--)
			total[j + 1] = total[j]
		total[j + 1] = v
	}
	for (l in level)
		lines += level[l]
	printf "%d lines, %d problems, %d users, best %d, sum %d, check %d\n", lines, problems, n, best, sum, checksum
	print longest
}
