// A server in two workers, for tests: answers with its process id. A negative port, and one that is taken, fail before
// listening there; a second port is opened first, as for metrics.
import { once } from "node:events";
import { createServer } from "node:http";
import { stopOnSignal } from "../stop-on-signal.ts";
import { inWorkers } from "../workers.ts";

const [port = 0, metricsPort] = process.argv.slice(2).map(Number);

await inWorkers({ workers: 2, port }, async () => {
  if (port < 0) process.exit(3);
  if (metricsPort) {
    const metrics = createServer().listen(metricsPort, "127.0.0.1");
    await once(metrics, "listening");
  }
  const server = createServer((_, response) => response.end(String(process.pid)));
  stopOnSignal(async () => {
    server.close();
  });
  server.once("error", () => process.exit(4));
  server.listen(port, "127.0.0.1", () => console.log("listening"));
});
