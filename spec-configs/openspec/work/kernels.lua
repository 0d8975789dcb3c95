-- SPDX-License-Identifier: GPL-3.0-or-later
-- Kernels of what Lua programs do; the argument decides their mix and sizes, so that training and measurement differ.
local kind = arg[1] or "train"
local seed = ({ train = 17, ref = 4711, small = 99 })[kind]

local function random(below)
	seed = (seed * 1103515245 + 12345) & 0x7fffffff
	return (seed >> 8) % below
end

local function queens(n)
	local found, columns, up, down = 0, {}, {}, {}
	local function place(row)
		if row > n then
			found = found + 1
			return
		end
		for c = 1, n do
			if not columns[c] and not up[row + c] and not down[row - c] then
				columns[c], up[row + c], down[row - c] = true, true, true
				place(row + 1)
				columns[c], up[row + c], down[row - c] = nil, nil, nil
			end
		end
	end
	place(1)
	return found
end

local function sieve(n)
	local composite, count = {}, 0
	for i = 2, n do
		if not composite[i] then
			count = count + 1
			for j = i * i, n, i do
				composite[j] = true
			end
		end
	end
	return count
end

local function words(n)
	local counts, parts = {}, {}
	for i = 1, n do
		parts[#parts + 1] = string.format("w%d=%x", random(500), i)
	end
	for name, value in table.concat(parts, ";"):gmatch("(w%d+)=(%x+)") do
		counts[name] = (counts[name] or 0) + #value
	end
	local keys = {}
	for k in pairs(counts) do
		keys[#keys + 1] = k
	end
	table.sort(keys, function(a, b)
		return counts[a] > counts[b] or (counts[a] == counts[b] and a < b)
	end)
	return keys[1] .. counts[keys[1]]
end

local Shape = {}
Shape.__index = Shape
local Square = setmetatable({}, { __index = Shape })
Square.__index = Square
function Shape.new(class, size)
	return setmetatable({ size = size }, class)
end
function Shape:grow(by)
	self.size = self.size + by
	return self
end
function Shape:area()
	return self.size * 3
end
function Square:area()
	return self.size * self.size
end

local function objects(n)
	local all, sum = {}, 0
	for i = 1, n do
		all[i] = Shape.new(i % 3 == 0 and Square or Shape, i % 11)
	end
	for round = 1, 5 do
		for _, o in ipairs(all) do
			sum = (sum + o:grow(round % 2):area()) % 1000007
		end
	end
	return sum
end

local function matrix(n)
	local a, b = {}, {}
	for i = 1, n do
		a[i], b[i] = {}, {}
		for j = 1, n do
			a[i][j], b[i][j] = (i * j) % 7 + 0.5, (i + j) % 5 - 0.25
		end
	end
	local trace = 0
	for i = 1, n do
		local row = a[i]
		for j = 1, n do
			local sum = 0
			for k = 1, n do
				sum = sum + row[k] * b[k][j]
			end
			if i == j then
				trace = trace + sum
			end
		end
	end
	return string.format("%.3f", trace)
end

local function generators(n)
	local function count(to)
		return coroutine.wrap(function()
			for i = 1, to do
				coroutine.yield(i)
			end
		end)
	end
	local sum = 0
	for i in count(n) do
		sum = sum + (pcall(error, i) and 0 or i % 3)
	end
	return sum
end

local function sorting(n)
	local t = {}
	for i = 1, n do
		t[i] = random(1000000)
	end
	table.sort(t)
	return t[1] + t[n] + t[n // 2]
end

local sizes = {
	train = { queens = 7, sieve = 400000, words = 40000, objects = 60000, matrix = 70, generators = 60000, sorting = 60000 },
	ref = { queens = 9, sieve = 2500000, words = 250000, objects = 350000, matrix = 190, generators = 300000, sorting = 400000 },
	small = { queens = 6, sieve = 20000, words = 3000, objects = 5000, matrix = 24, generators = 3000, sorting = 5000 },
}
local size = sizes[kind]
for round = 1, ({ train = 25, ref = 5, small = 4 })[kind] do
	print(queens(size.queens), sieve(size.sieve), words(size.words), objects(size.objects))
	print(matrix(size.matrix), generators(size.generators), sorting(size.sorting), round)
end
