/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers PORT PIDFILE: an HTTP server whose answers take work: /chain/SEED/LENGTH is a chain of SHA-256, and
 * /sorted/SEED/LENGTH numbers in order.  Four threads answer; the code is warm enough after some requests to be compiled
 * while others run.  SIGTERM ends it, by a hook that says so. */
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public class Answers {
	private static final HexFormat HEX = HexFormat.of();

	static String chain(String seed, int length) throws NoSuchAlgorithmException {
		MessageDigest digest = MessageDigest.getInstance("SHA-256");
		String text = seed;

		for (int i = 0; i < length; i++)
			text = HEX.formatHex(digest.digest(text.getBytes(StandardCharsets.US_ASCII)));
		return text;
	}

	static String sorted(String seed, int length) {
		TreeSet<Long> numbers = new TreeSet<>();
		long state = Long.parseLong(seed);
		StringBuilder text = new StringBuilder();

		for (int i = 0; i < length; i++) {
			state = (state * 1103515245 + 12345) & 0x7fffffff;
			numbers.add(state);
		}
		for (long number : numbers)
			text.append(number).append('\n');
		return text.toString();
	}

	static void answer(HttpExchange exchange) throws IOException {
		String[] words = exchange.getRequestURI().getPath().split("/");
		byte[] body;

		try {
			int length = Integer.parseInt(words[3]);

			body = (words[1].equals("chain") ? chain(words[2], length) : sorted(words[2], length))
				.getBytes(StandardCharsets.US_ASCII);
		} catch (NoSuchAlgorithmException | RuntimeException error) {
			exchange.sendResponseHeaders(500, -1);
			return;
		}
		exchange.sendResponseHeaders(200, body.length);
		exchange.getResponseBody().write(body);
		exchange.close();
	}

	public static void main(String[] words) throws IOException {
		HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(words[0])), 0);
		ExecutorService pool = Executors.newFixedThreadPool(4);

		server.setExecutor(pool);
		server.createContext("/", Answers::answer);
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			server.stop(0);
			pool.shutdown();
			System.err.println("stopped");
		}));
		Files.writeString(Path.of(words[1]), ProcessHandle.current().pid() + "\n");
		server.start();
		System.err.println("started");
	}
}
