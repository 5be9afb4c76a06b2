// A server in two workers, for tests: answers with its process id, at once and, to a POST, again when its body ends. A negative
// port, and one that is taken, fail before listening there; a second port is opened first, as for metrics. With
// `--npm-start` it takes signals as `npm start` does, and while the file of `--broken-by=FILE` exists, workers fail as they
// start. Says when it stops.
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { ignoreRepeatedSignals } from "../../../scripts/repeated-signals.mjs";
import { closeServer } from "../http/http-server.ts";
import { stopOnSignal } from "../stop-on-signal.ts";
import { inWorkers } from "../workers.ts";

const isNpmStart = process.argv.includes("--npm-start");
const brokenBy = process.argv.find((arg) => arg.startsWith("--broken-by="))?.slice(12);
const [port = 0, metricsPort] = process.argv.slice(2).map(Number);

if (isNpmStart) ignoreRepeatedSignals(process);
const logLevel = process.argv.includes("--silent") ? "silent" : "info";
await inWorkers({ workers: 2, port, logLevel }, async () => {
  if (port < 0 || existsSync(brokenBy ?? "")) process.exit(3);
  if (metricsPort) {
    const metrics = createServer().listen(metricsPort, "127.0.0.1");
    await once(metrics, "listening");
  }
  const server = createServer((request, response) => {
    response.write(String(process.pid));
    request.on("end", () => response.end(request.method === "POST" ? " done" : "")).resume();
  });
  stopOnSignal(() => {
    console.log("stopping");
    return closeServer(server);
  });
  server.once("error", () => process.exit(4));
  server.listen(port, "127.0.0.1", () => console.log("listening"));
});
