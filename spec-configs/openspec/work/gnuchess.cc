/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command around GNU Chess's engine: searches each position of a file (FEN, a line each) to a fixed depth, without
 * book, clock and the protocol, whose part this takes, and prints the move, its value and the nodes.
 * usage: chess DEPTH FILE */
#include "attack.h"
#include "board.h"
#include "components.h"
#include "eval.h"
#include "fen.h"
#include "hash.h"
#include "material.h"
#include "move.h"
#include "move_do.h"
#include "option.h"
#include "pawn.h"
#include "piece.h"
#include "protocol.h"
#include "pst.h"
#include "random.h"
#include "search.h"
#include "square.h"
#include "trans.h"
#include "value.h"
#include "vector.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

int pipefd_a2e[2], pipefd_e2a[2];

namespace engine
{

FILE *pipefd_a2e_0_stream, *pipefd_e2a_1_stream;

void event()
{
}
void send(const char[], ...)
{
}

static void start()
{
	option_init();
	option_set("OwnBook", "false");
	square_init();
	piece_init();
	pawn_init_bit();
	value_init();
	vector_init();
	attack_init();
	move_do_init();
	random_init();
	hash_init();
	trans_init(Trans);
	trans_alloc(Trans);
	pawn_init();
	pawn_alloc();
	material_init();
	material_alloc();
	pst_init();
	eval_init();
}

static void play(const char *position, int depth)
{
	char move[256];

	board_from_fen(SearchInput->board, position);
	search_clear();
	SearchInput->depth_is_limited = true;
	SearchInput->depth_limit = depth;
	search();
	search_update_current();
	move_to_string(SearchBest->move, move, sizeof move);
	printf("%s %d %lld\n", move, SearchBest->value, (long long)SearchCurrent->node_nb);
}

} // namespace engine

int main(int argc, char **argv)
{
	int depth = argc > 2 ? atoi(argv[1]) : 0;
	FILE *file = depth > 0 ? fopen(argv[2], "r") : nullptr;
	char line[256];

	if (!file)
		return 2;
	engine::pipefd_a2e_0_stream = stdin;
	engine::pipefd_e2a_1_stream = stdout;
	engine::start();
	while (fgets(line, sizeof line, file)) {
		line[strcspn(line, "\n")] = '\0';
		engine::play(line, depth);
	}
	fclose(file);
	return 0;
}
