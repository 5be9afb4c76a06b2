// The service, and on another port what it holds after a garbage collection.
import { createServer } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What a process holds; bytes, and processor time in milliseconds. */
export type Held = { rss: number; heap: number; handles: number; cpuMs: number };

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

createServer((_, response) => {
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const held: Held = {
    rss,
    heap: heapUsed + external,
    handles: process.getActiveResourcesInfo().length,
    cpuMs: (user + system) / 1_000,
  };
  response.end(JSON.stringify(held));
})
  .listen(Number(process.env.SOAK_PORT), "127.0.0.1")
  .unref();

await import("../../lib/server/service.ts");
