/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command around Xerces: ROUNDS times it reads a catalogue (generate xml) as a tree, validated against a schema,
 * walks and prints it, and reads it again as a stream of events.  usage: validate ROUNDS SCHEMA FILE */
#include <xercesc/dom/DOM.hpp>
#include <xercesc/framework/MemBufFormatTarget.hpp>
#include <xercesc/parsers/XercesDOMParser.hpp>
#include <xercesc/sax/HandlerBase.hpp>
#include <xercesc/sax2/Attributes.hpp>
#include <xercesc/sax2/DefaultHandler.hpp>
#include <xercesc/sax2/SAX2XMLReader.hpp>
#include <xercesc/sax2/XMLReaderFactory.hpp>
#include <xercesc/util/PlatformUtils.hpp>
#include <xercesc/util/XMLString.hpp>

#include <cstdio>
#include <cstdlib>

using namespace xercesc;

/* A string as Xerces wants it, or as C does. */
class wide
{
      public:
	explicit wide(const char *text) : text(XMLString::transcode(text))
	{
	}
	~wide()
	{
		XMLString::release(&text);
	}
	operator const XMLCh *() const
	{
		return text;
	}

      private:
	XMLCh *text;
};

static void say(const SAXParseException &e)
{
	char *text = XMLString::transcode(e.getMessage());

	fprintf(stderr, "validate: line %llu: %s\n", (unsigned long long)e.getLineNumber(), text);
	XMLString::release(&text);
}

class stop_at_errors : public HandlerBase
{
      public:
	unsigned errors = 0;
	void error(const SAXParseException &e) override
	{
		if (errors++ == 0)
			say(e);
	}
	void fatalError(const SAXParseException &e) override
	{
		error(e);
	}
};

class counter : public DefaultHandler
{
      public:
	unsigned long elements = 0, attributes = 0, letters = 0;
	void startElement(const XMLCh *, const XMLCh *, const XMLCh *, const Attributes &list) override
	{
		elements++;
		attributes += list.getLength();
	}
	void characters(const XMLCh *, const XMLSize_t length) override
	{
		letters += length;
	}
};

static unsigned long walk(DOMNode *node)
{
	unsigned long sum = node->getNodeType();

	if (node->getNodeType() == DOMNode::TEXT_NODE)
		sum += XMLString::stringLen(node->getNodeValue());
	for (DOMNode *child = node->getFirstChild(); child; child = child->getNextSibling())
		sum += walk(child);
	return sum;
}

/* Marks the items that have a given kind, and says how many. */
static unsigned long mark(DOMDocument *document)
{
	wide other("urn:x"), kind("kind"), second("k2"), id("id"), marked("marked");
	DOMElement *item = document->getDocumentElement()->getFirstElementChild();
	unsigned long count = 0;

	for (; item; item = item->getNextElementSibling()) {
		if (!XMLString::equals(item->getAttributeNS(other, kind), second))
			continue;
		item->setAttribute(id, marked);
		count++;
	}
	return count;
}

static unsigned long print(DOMDocument *document)
{
	DOMImplementation *implementation = DOMImplementationRegistry::getDOMImplementation(wide("LS"));
	DOMLSSerializer *serializer = implementation->createLSSerializer();
	DOMLSOutput *output = implementation->createLSOutput();
	MemBufFormatTarget target;
	unsigned long length;

	output->setByteStream(&target);
	serializer->write(document, output);
	length = target.getLen();
	output->release();
	serializer->release();
	return length;
}

static bool tree(const char *schema, const char *file, unsigned long &sum)
{
	XercesDOMParser parser;
	stop_at_errors handler;

	parser.setErrorHandler(&handler);
	parser.setDoNamespaces(true);
	parser.setDoSchema(true);
	parser.setValidationScheme(XercesDOMParser::Val_Always);
	parser.loadGrammar(schema, Grammar::SchemaGrammarType, true);
	parser.useCachedGrammarInParse(true);
	parser.parse(file);
	if (handler.errors)
		return false;
	sum = sum * 31 + walk(parser.getDocument());
	sum = sum * 31 + mark(parser.getDocument());
	sum = sum * 31 + print(parser.getDocument());
	return true;
}

static void events(const char *file, counter &all)
{
	SAX2XMLReader *reader = XMLReaderFactory::createXMLReader();

	reader->setContentHandler(&all);
	reader->parse(file);
	delete reader;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 3 ? (unsigned)strtoul(argv[1], nullptr, 10) : 0;
	unsigned long sum = 0;
	bool good = true;

	XMLPlatformUtils::Initialize();
	{
		counter all;

		for (unsigned r = 0; r < rounds && good; r++) {
			good = tree(argv[2], argv[3], sum);
			events(argv[3], all);
		}
		printf("%lu elements, %lu attributes, %lu letters, %lu\n", all.elements, all.attributes, all.letters,
		       sum);
	}
	XMLPlatformUtils::Terminate();
	return !rounds ? 2 : good ? 0 : 1;
}
