// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels of what JavaScript programs do, ECMAScript 5.  A line in front sets kind, which decides seeds and sizes, so
// that training and measurement differ.
var seed = { train: 17, ref: 4711, small: 99 }[kind];
var size = {
    train: { rounds: 42, depth: 11, queens: 7, grid: 90, words: 4000, sort: 9000, records: 500, closures: 12000 },
    ref: { rounds: 24, depth: 13, queens: 8, grid: 150, words: 9000, sort: 20000, records: 1500, closures: 40000 },
    small: { rounds: 5, depth: 7, queens: 5, grid: 30, words: 500, sort: 700, records: 80, closures: 1500 }
}[kind];

function random(below) {
    seed = (seed * 16807) % 2147483647;
    return (seed >> 4) % below;
}

function Tree(left, right) {
    this.left = left;
    this.right = right;
}
Tree.prototype.count = function () {
    return this.left ? 1 + this.left.count() + this.right.count() : 1;
};
function grow(depth) {
    return depth ? new Tree(grow(depth - 1), grow(depth - 1)) : new Tree(null, null);
}

function queens(n) {
    var found = 0, columns = [], up = [], down = [];
    function place(row) {
        if (row === n) {
            found++;
            return;
        }
        for (var c = 0; c < n; c++) {
            if (!columns[c] && !up[row + c] && !down[row - c + n]) {
                columns[c] = up[row + c] = down[row - c + n] = true;
                place(row + 1);
                columns[c] = up[row + c] = down[row - c + n] = false;
            }
        }
    }
    place(0);
    return found;
}

function heat(n) {
    var field = [], next, i, j, step;
    for (i = 0; i < n * n; i++) {
        field[i] = i % 13 / 2;
    }
    for (step = 0; step < 5; step++) {
        next = field.slice();
        for (i = 1; i < n - 1; i++) {
            for (j = 1; j < n - 1; j++) {
                next[i * n + j] = (field[i * n + j - 1] + field[i * n + j + 1] + field[i * n - n + j] + field[i * n + n + j]) / 4;
            }
        }
        field = next;
    }
    return field[n * 5 + 5].toFixed(6);
}

function words(n) {
    var counts = {}, lines = [], changed = 0, i;
    for (i = 0; i < n; i++) {
        lines.push('w' + random(700) + ' v' + random(90) + '=' + random(1000));
    }
    lines.forEach(function (line) {
        line.split(' ').forEach(function (word) {
            counts[word] = (counts[word] || 0) + 1;
        });
        changed += line.replace(/(\w)(\d+)=/g, function (all, letter, digits) {
            return digits + letter;
        }).length;
        if (/v\d*7=.*[13579]$/.test(line)) {
            changed++;
        }
    });
    return Object.keys(counts).length + ' ' + changed;
}

function sorting(n) {
    var list = [], i;
    for (i = 0; i < n; i++) {
        list.push(random(1000000));
    }
    list.sort(function (a, b) {
        return a - b;
    });
    return list.map(function (x) {
        return x * 2;
    }).filter(function (x) {
        return x % 3 === 0;
    }).reduce(function (a, b) {
        return a + b;
    }, 0);
}

function records(n) {
    var list = [], i, text;
    for (i = 0; i < n; i++) {
        list.push({ id: i, name: 'n' + random(5000), tags: [1, 2.5, { deep: null, yes: true }] });
    }
    text = JSON.stringify(list);
    return text.length + JSON.parse(text).filter(function (r) {
        return r.name.charAt(1) === '4';
    }).length;
}

function closures(n) {
    var sum = 0, i;
    function adder(k) {
        return function (x) {
            if (x % 97 === 0) {
                throw new Error('odd');
            }
            return x + k;
        };
    }
    for (i = 0; i < n; i++) {
        try {
            sum = adder(i)(sum) % 1000003;
        } catch (e) {
            sum += e.message.length;
        }
    }
    return sum;
}

for (var round = 0; round < size.rounds; round++) {
    print(grow(size.depth).count(), queens(size.queens), heat(size.grid), words(size.words));
    print(sorting(size.sort), records(size.records), closures(size.closures), round);
}
