/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command around TinyXML-2: ROUNDS times it parses a catalogue (generate xml), sums bids by user, changes prices,
 * sorts out items, copies and prints the tree.  usage: catalogue ROUNDS FILE */
#include "tinyxml2.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

using namespace tinyxml2;

struct tally {
	std::map<std::string, unsigned> bids;
	unsigned long prices = 0, letters = 0, dropped = 0;
};

/* All text below a node. */
class letters : public XMLVisitor
{
      public:
	unsigned long count = 0;
	bool Visit(const XMLText &text) override
	{
		count += strlen(text.Value());
		return true;
	}
	bool VisitEnter(const XMLElement &element, const XMLAttribute *) override
	{
		return strcmp(element.Name(), "bids") != 0;
	}
};

static void take_item(XMLElement *item, tally &t, unsigned round)
{
	XMLElement *price = item->FirstChildElement("price");

	for (XMLElement *bid = item->FirstChildElement("bids")->FirstChildElement("bid"); bid;
	     bid = bid->NextSiblingElement("bid"))
		t.bids[bid->Attribute("by")] += bid->IntAttribute("at") % 7;
	t.prices += (unsigned long)price->DoubleText();
	if (price->Attribute("currency", "CHF")) {
		price->SetText(price->DoubleText() * 1.0625 + round);
		price->SetAttribute("currency", "EUR");
	}
	item->SetAttribute("seen", round);
}

static void take_all(XMLElement *catalogue, tally &t, unsigned round)
{
	XMLElement *next;

	for (XMLElement *item = catalogue->FirstChildElement("item"); item; item = next) {
		next = item->NextSiblingElement("item");
		take_item(item, t, round);
		if (item->Attribute("x:kind", "k1")) {
			catalogue->DeleteChild(item);
			t.dropped++;
		}
	}
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[1], nullptr, 10) : 0;
	tally t;
	unsigned long printed = 0;
	std::string most;

	for (unsigned r = 0; r < rounds; r++) {
		XMLDocument document, copy;
		XMLPrinter printer(nullptr, r % 2);
		letters counter;

		if (document.LoadFile(argv[2]) != XML_SUCCESS) {
			fprintf(stderr, "catalogue: %s: %s\n", argv[2], document.ErrorStr());
			return 1;
		}
		document.Accept(&counter);
		t.letters += counter.count;
		take_all(document.RootElement(), t, r);
		document.DeepCopy(&copy);
		copy.Print(&printer);
		printed = printed * 31 + (unsigned long)printer.CStrSize();
	}
	for (const auto &b : t.bids)
		if (most.empty() || b.second > t.bids[most])
			most = b.first;
	printf("%zu users, most %s, prices %lu, letters %lu, dropped %lu, printed %lu\n", t.bids.size(), most.c_str(),
	       t.prices, t.letters, t.dropped, printed);
	return rounds ? 0 : 2;
}
