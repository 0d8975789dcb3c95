/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs for the benchmark workloads, the same bytes everywhere for the same arguments:
 *   generate text SEED LINES        log-like lines of words and numbers, with the skewed frequencies of real text
 *   generate sat SEED VARIABLES N   random 3-SAT in DIMACS with N clauses for 100 variables (426: the hard ratio)
 *   generate parity SEED BITS       a parity chain, which is unsatisfiable and all structure
 *   generate video SEED FRAMES      352x288 YUV 4:2:0: a texture that pans, things that move over it, some noise
 *   generate transport SEED PLANTS MARKETS   a linear programme: six goods from plants to markets, as CPLEX text
 *   generate proteins SEED N        amino acid sequences in FASTA, with the frequencies of real ones
 *   generate xml SEED ITEMS         a catalogue with namespaces, attributes, mixed content, entities, comments
 * The hard case is that floating point and the C library's random numbers differ between machines: integers only. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint32_t next_random(uint32_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(((state >> 33) * below) >> 31);
}

static void word(uint32_t rank)
{
	static const char *const syllables[] = { "ba", "de", "ki", "lo", "mu",  "na",
						 "pe", "ri", "so", "tu", "vel", "zor" };

	do {
		fputs(syllables[rank % 12], stdout);
		rank /= 12;
	} while (rank);
}

/* Small ranks far more often than large ones: the product of two uniform numbers. */
static uint32_t skewed(uint32_t below)
{
	return (uint32_t)((uint64_t)next_random(below) * next_random(below) / below);
}

static void text(uint32_t lines)
{
	static const char *const level[] = { "info", "info", "info", "debug", "warn", "error" };

	for (uint32_t i = 0; i < lines; i++) {
		printf("%u-%02u %s ", 1000 + i / 7, next_random(60), level[next_random(6)]);
		word(skewed(300));
		printf(" user%u %u.%02u", skewed(5000), next_random(2000), next_random(100));
		for (uint32_t n = 2 + next_random(9); n > 0; n--) {
			putchar(' ');
			word(skewed(4000));
		}
		putchar('\n');
	}
}

static int literal(uint32_t variable)
{
	return next_random(2) ? (int)variable : -(int)variable;
}

static void sat(uint32_t variables, uint32_t ratio)
{
	uint32_t clauses = (uint32_t)((uint64_t)variables * ratio / 100);

	printf("p cnf %u %u\n", variables, clauses);
	for (uint32_t i = 0; i < clauses; i++) {
		uint32_t a = 1 + next_random(variables), b, c;

		do
			b = 1 + next_random(variables);
		while (b == a);
		do
			c = 1 + next_random(variables);
		while (c == a || c == b);
		printf("%d %d %d 0\n", literal(a), literal(b), literal(c));
	}
}

/* z = x xor y as four clauses. */
static void exclusive_or(int x, int y, int z)
{
	printf("%d %d %d 0\n%d %d %d 0\n%d %d %d 0\n%d %d %d 0\n", -x, -y, -z, x, y, -z, x, -y, z, -x, y, z);
}

/* Two chains that add up the same bits in different orders and are said to differ. */
static void parity(uint32_t bits)
{
	int n = (int)bits, next = n + 1, first = 1, second;
	int *order = malloc(bits * sizeof *order);

	if (!order)
		exit(1);
	for (int i = 0; i < n; i++)
		order[i] = i + 1;
	for (uint32_t i = bits - 1; i > 0; i--) {
		uint32_t j = next_random(i + 1);
		int swap = order[i];

		order[i] = order[j];
		order[j] = swap;
	}
	printf("p cnf %d %d\n", n + 2 * (n - 1), 8 * (n - 1) + 2);
	for (int i = 2; i <= n; i++, next++) {
		exclusive_or(first, i, next);
		first = next;
	}
	second = order[0];
	for (int i = 1; i < n; i++, next++) {
		exclusive_or(second, order[i], next);
		second = next;
	}
	printf("%d %d 0\n%d %d 0\n", first, second, -first, -second);
	free(order);
}

enum { WIDTH = 352, HEIGHT = 288 };

static unsigned char texture[2 * HEIGHT][2 * WIDTH];

static void draw_texture(void)
{
	for (uint32_t y = 0; y < 2 * HEIGHT; y++)
		for (uint32_t x = 0; x < 2 * WIDTH; x++)
			texture[y][x] = (unsigned char)((x * 3 + y * 5) / 8 + x * y / 977);
	for (int n = 0; n < 140; n++) {
		uint32_t left = next_random(2 * WIDTH), top = next_random(2 * HEIGHT);
		uint32_t right = left + 10 + next_random(120), bottom = top + 10 + next_random(90);
		uint32_t colour = next_random(256);

		for (uint32_t y = top; y < bottom && y < 2 * HEIGHT; y++)
			for (uint32_t x = left; x < right && x < 2 * WIDTH; x++)
				texture[y][x] = (unsigned char)(colour + (x * 7 + y * 3) % 13);
	}
}

/* What frame N shows at a place: the panned texture, or one of four squares of it that cross the picture. */
static unsigned char shown(uint32_t n, uint32_t x, uint32_t y)
{
	for (uint32_t k = 1; k <= 4; k++) {
		uint32_t left = (n * (k + 3) + 73 * k) % (WIDTH - 48), top = (n * (5 - k) + 41 * k) % (HEIGHT - 48);

		if (x - left < 48 && y - top < 48)
			return texture[y - top + 100 * k][x - left + 130 * k];
	}
	return texture[(y + 2 * n) % (2 * HEIGHT)][(x + 3 * n) % (2 * WIDTH)];
}

static void video(uint32_t frames)
{
	static unsigned char luma[HEIGHT][WIDTH];

	draw_texture();
	for (uint32_t n = 0; n < frames; n++) {
		for (uint32_t y = 0; y < HEIGHT; y++)
			for (uint32_t x = 0; x < WIDTH; x++)
				luma[y][x] = (unsigned char)(shown(n, x, y) + next_random(5));
		fwrite(luma, sizeof luma, 1, stdout);
		for (uint32_t plane = 0; plane < 2; plane++)
			for (uint32_t y = 0; y < HEIGHT / 2; y++)
				for (uint32_t x = 0; x < WIDTH / 2; x++)
					putchar(64 + luma[2 * y][2 * x + plane] / 2);
	}
}

enum { GOODS = 6 };

static void sum_over_markets(uint32_t plant, uint32_t good, uint32_t markets, uint32_t weight)
{
	for (uint32_t m = 0; m < markets; m++)
		printf(" + %u x%u_%u_%u\n", 1 + next_random(weight), plant, m, good);
}

static void transport(uint32_t plants, uint32_t markets)
{
	uint32_t capacity = markets * GOODS * 31 / plants + 60;

	puts("Minimize\n cost:");
	for (uint32_t p = 0; p < plants; p++)
		for (uint32_t g = 0; g < GOODS; g++)
			sum_over_markets(p, g, markets, 999);
	puts("Subject To");
	for (uint32_t p = 0; p < plants; p++) {
		printf(" c%u:\n", p);
		for (uint32_t g = 0; g < GOODS; g++)
			sum_over_markets(p, g, markets, 1);
		printf(" <= %u\n", capacity);
	}
	for (uint32_t m = 0; m < markets; m++)
		for (uint32_t g = 0; g < GOODS; g++) {
			printf(" d%u_%u:", m, g);
			for (uint32_t p = 0; p < plants; p++)
				printf(" + x%u_%u_%u", p, m, g);
			printf(" >= %u\n", 5 + next_random(45));
		}
	for (uint32_t p = 0; p < plants; p++)
		for (uint32_t g = 0; g < GOODS; g++) {
			printf(" e%u_%u:\n", p, g);
			sum_over_markets(p, g, markets, 3);
			printf(" <= %u\n", capacity * 6 / 10);
		}
	puts("End");
}

static void proteins(uint32_t count)
{
	/* The commonest are named more than once. */
	static const char acids[] = "AAAAACDDDEEEEFFGGGGHIIIKKKLLLLLMNNPPPQQRRRSSSSTTTVVVVWYY";

	for (uint32_t n = 0; n < count; n++) {
		printf(">protein%u\n", n);
		for (uint32_t i = 0, length = 100 + next_random(500); i < length; i++) {
			putchar(acids[next_random(sizeof acids - 1)]);
			if (i % 60 == 59)
				putchar('\n');
		}
		putchar('\n');
	}
}

static void words(uint32_t count)
{
	static const char *const between[] = { " ", " ", " ", " &amp; ", ", ", " &lt;" };

	while (count--) {
		word(skewed(2000));
		fputs(between[next_random(6)], stdout);
	}
}

static void xml(uint32_t items)
{
	puts("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<catalogue xmlns=\"urn:c\" xmlns:x=\"urn:x\">");
	for (uint32_t i = 0; i < items; i++) {
		printf(" <item id=\"i%u\" x:kind=\"k%u\"><name>", i, skewed(40));
		words(1 + next_random(3));
		printf("</name><price currency=\"%s\">%u.%02u</price>\n", next_random(3) ? "EUR" : "CHF", skewed(5000),
		       next_random(100));
		fputs("  <text>", stdout);
		for (uint32_t n = next_random(4); n > 0; n--) {
			words(1 + next_random(12));
			printf("<x:em level=\"%u\">", next_random(4));
			words(1);
			fputs("</x:em> ", stdout);
		}
		fputs("</text><bids>", stdout);
		for (uint32_t n = skewed(9); n > 0; n--)
			printf("<bid by=\"user%u\" at=\"%u\"/>", skewed(3000), next_random(1000000));
		puts("</bids>");
		puts(next_random(5) ? "</item>" : "<!-- checked --><![CDATA[<raw> & stuff]]></item>");
	}
	puts("</catalogue>");
}

static const struct {
	const char *name;
	int arguments;
	void (*one)(uint32_t);
	void (*two)(uint32_t, uint32_t);
} kinds[] = {
	{ "text", 1, text, NULL },
	{ "sat", 2, NULL, sat },
	{ "parity", 1, parity, NULL },
	{ "video", 1, video, NULL },
	{ "transport", 2, NULL, transport },
	{ "proteins", 1, proteins, NULL },
	{ "xml", 1, xml, NULL },
};

/* generate KIND SEED SIZE [SIZE]; sizes below 4 make no sense for any kind but video. */
int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		uint32_t size[2] = { 0, 0 };

		if (argc != 3 + kinds[i].arguments || strcmp(argv[1], kinds[i].name) != 0)
			continue;
		for (int n = 0; n < kinds[i].arguments; n++)
			size[n] = (uint32_t)strtoul(argv[3 + n], NULL, 10);
		if (size[0] < 2 || (kinds[i].two && (size[0] < 4 || size[1] < 4)))
			break;
		state = strtoull(argv[2], NULL, 10) * 2654435761u + 1;
		if (kinds[i].two)
			kinds[i].two(size[0], size[1]);
		else
			kinds[i].one(size[0]);
		return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
	}
	fputs("usage: generate text SEED LINES | sat SEED VARIABLES PERCENT | parity SEED BITS | video SEED FRAMES |\n"
	      "       transport SEED PLANTS MARKETS | proteins SEED N | xml SEED ITEMS\n",
	      stderr);
	return 2;
}
