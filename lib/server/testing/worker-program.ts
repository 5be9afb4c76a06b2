// A server in two workers, for tests: answers with its process id. a negative port fails before listening.
import { createServer } from "node:http";
import { stopOnSignal } from "../stop-on-signal.ts";
import { inWorkers } from "../workers.ts";

await inWorkers({ workers: 2 }, async () => {
  const port = Number(process.argv[2]);
  if (port < 0) process.exit(3);
  const server = createServer((_, response) => response.end(String(process.pid)));
  stopOnSignal(async () => {
    server.close();
  });
  server.listen(port, "127.0.0.1", () => console.log("listening"));
});
