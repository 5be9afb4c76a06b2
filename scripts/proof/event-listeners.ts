// What 1,000 event streams do to paid calls beside them: settle's 99th percentile at a steady rate, without and with
// them in turn, in the same run. The streams belong to the subscriber whose settles are the events.
import { request } from "node:http";
import { setPriority } from "node:os";
import { createSpawnable } from "@/lib/server/testing/spawned-service.ts";
import { memoryOf, quantile, startClient } from "./measure.ts";

const LISTENERS = 1_000;
/** The 99th percentile of fewer settles is that of a handful. */
const ROUNDS = 10;
const ROUND_MS = 6_000;
const GAP_MS = 40;

/** Opens the streams and reads them until it is told to stop; prints how many are then open, and how many events came. */
async function listen(url: string, apiKey: string): Promise<void> {
  // Listeners are other machines: their reading takes no time from the service.
  setPriority(19);
  let events = 0;
  let streams = 0;
  process.once("SIGTERM", () => {
    process.stdout.write(`${streams} ${events}`, () => process.exit(0));
  });
  const open = () =>
    new Promise<void>((opened) => {
      const asked = request(`${url}/api/v1/events/stream`, {
        agent: false,
        headers: { authorization: `Bearer ${apiKey}` },
      });
      asked.once("response", (answer) => {
        if (answer.statusCode === 200) {
          streams += 1;
          answer.once("close", () => {
            streams -= 1;
          });
        }
        answer.on("data", (chunk: Buffer) => {
          if (chunk.includes("data:")) events += 1;
          opened();
        });
      });
      asked.on("error", () => opened());
      asked.end();
    });
  for (let n = 0; n < LISTENERS; n += 50) await Promise.all(Array.from({ length: 50 }, open));
  process.stdout.write("started\n");
}

async function measure(): Promise<void> {
  const world = await createSpawnable();
  try {
    const service = await world.start();
    let settles = 0;
    /** At a steady rate: each time counts from when the call was due. */
    const load = async (ms: number): Promise<number[]> => {
      const times: number[] = [];
      const start = performance.now();
      const calls: Promise<void>[] = [];
      for (let due = start; due < start + ms; due += GAP_MS) {
        await new Promise((wake) => setTimeout(wake, Math.max(0, due - performance.now())));
        settles += 1;
        const id = `listened-${settles.toString().padStart(9, "0")}`;
        calls.push(
          service.settle(id).then(() => {
            times.push(performance.now() - due);
          }),
        );
      }
      await Promise.all(calls);
      return times;
    };
    await load(ROUND_MS);
    const quiet: number[] = [];
    const heard: number[] = [];
    const memory: number[] = [];
    let events = 0;
    let streams = LISTENERS;
    for (let round = 0; round < ROUNDS; round++) {
      quiet.push(...(await load(ROUND_MS)));
      const { apiKey } = world.market.subscriber;
      const before = memoryOf(service.pid);
      const stop = await startClient(import.meta.filename, [service.url, apiKey]);
      heard.push(...(await load(ROUND_MS)));
      memory.push(memoryOf(service.pid) - before);
      const [open = 0, read = 0] = (await stop()).trim().split(" ").map(Number);
      streams = Math.min(streams, open);
      events += read;
    }
    const [calm, busy] = [quantile(quiet, 0.99), quantile(heard, 0.99)];
    // Streams make no settle faster: where the quiet ones are slower, something else was measured.
    const ratio = (busy / calm).toFixed(2);
    const inverse = (calm / busy).toFixed(2);
    console.log(
      `event listeners: ${streams} streams, ${events} messages, ${quiet.length} and ${heard.length} settles, ` +
        `p99 ${calm.toFixed(1)} and ${busy.toFixed(1)} ms, ratio ${ratio}, inverse ${inverse}; ` +
        `memory grew ${Math.round(Math.max(...memory) / 2 ** 20)} MB`,
    );
    await service.stop();
  } finally {
    await world.remove();
  }
}

const [url, apiKey] = process.argv.slice(2);
if (url && apiKey) await listen(url, apiKey);
else await measure();
