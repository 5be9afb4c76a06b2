import { below, find, node, type ProofRow, same, testsPassed, vitest } from "./figures.ts";

/** The size an agent's bundle may have, in kilobytes. */
const GATE_KB = 60;

/** What the gate promises. */
export const GATE_ROWS: ProofRow[] = [
  {
    id: "adapters",
    area: "gate",
    show: "the nine rows of a gated request and every point beyond them, over all adapters",
    bar: "one table of behaviours, green on Hono, Express 5, Fastify 5, Next, Node http and buildPaymentApp",
    command: vitest("lib/sdk/gate/adapters/all-adapters.test.ts", "lib/sdk/gate/app"),
    figure: testsPassed,
  },
  {
    id: "aborts",
    area: "gate",
    show: "the socket destroyed at each chunk boundary; work that throws, times out, answers 3xx, 4xx, 5xx",
    bar: "charged exactly when bytes were delivered with a 2xx",
    command: vitest(
      "lib/sdk/gate/adapters",
      "-t",
      "destroyed after|leaves before|breaks|is not charged|exception|too long",
    ),
    figure: testsPassed,
  },
  {
    id: "flat-memory",
    area: "gate",
    show: "a stream of one gigabyte, and a reader that is slow",
    bar: "resident memory grows by less than 200 MiB, nothing is made ahead of the reader",
    command: vitest("lib/sdk/gate/adapters/memory.test.ts"),
    figure: (output) => {
      const grown = [...output.matchAll(/memory: (.*?): .* grew by (-?\d+) MiB/g)];
      if (grown.length < 2) throw new Error("printed no figures of memory");
      return grown.map(([, name, mib]) => below(`${name} MiB`, Number(mib), 200)).join(", ");
    },
  },
  {
    id: "journal",
    area: "gate",
    show: "settlements that could not be completed: retries, refusals, kill -9, several processes",
    bar: "each settled or refused under its own id, across restarts; nothing lost, nothing left behind",
    command: vitest("lib/sdk/gate/queue"),
    figure: testsPassed,
  },
  {
    id: "route-confusion",
    area: "gate",
    show: "100 000 generated paths against Hono, Express and Fastify each",
    bar: "gate and router never disagree; undecodable 400",
    command: ["env", "ROUTE_PATHS=100000", ...vitest("lib/sdk/gate/route-confusion.test.ts")],
    figure: (output) => {
      const runs = [
        ...output.matchAll(/route confusion: (.*?): (\d+) paths, (\d+) disagreements/g),
      ];
      if (runs.length !== 3) throw new Error(`printed ${runs.length} of 3 frameworks`);
      return runs
        .map(
          ([, name, paths, wrong = ""]) => `${name} ${paths}: ${same("disagreements", wrong, "0")}`,
        )
        .join("; ");
    },
  },
  {
    id: "free-ride",
    area: "gate",
    show: "duplicate, concurrent, replayed, cross-agent and cross-resource tokens against the real service",
    bar: "served = burned, ratio 0",
    command: vitest("lib/sdk/gate/free-ride.test.ts"),
    figure: (output) => {
      const [served, burned, free = ""] = find(
        output,
        /free ride: served (\d+), burned (\d+), free (-?\d+)(?![\s\S]*free ride:)/,
      );
      return `served ${served}, burned ${burned}, ${same("free", free, "0")}`;
    },
  },
  {
    id: "gate-speed",
    area: "gate",
    show: "npm run bench -- gate: a gated call against the same route ungated and behind stock @x402/hono",
    bar: "ours no slower than stock at p50, and under 3 ms added at p50",
    command: node("bench/run.ts", "gate"),
    figure: (output) => {
      const [p50, p99, stock50, stock99] = find(
        output,
        /figures: gate: adds p50 ([\d.]+) ms, p99 ([\d.]+) ms; stock adds p50 ([\d.]+) ms, p99 ([\d.]+) ms/,
      );
      if (Number(p50) > Number(stock50)) throw new Error(`p50 is ${p50} ms, stock's ${stock50} ms`);
      return `${below("adds p50 ms", Number(p50), 3)}, p99 ${p99} ms; stock p50 ${stock50} ms, p99 ${stock99} ms`;
    },
  },
  {
    id: "stock-peers",
    area: "gate",
    show: "stock @x402/hono, @x402/express and @x402/fetch, MCP and A2A clients, unmodified, in one run",
    bar: "servers settle through our facilitator, the client pays our agent, tools and messages are paid",
    command: vitest("lib/sdk/x402", "lib/sdk/mcp", "lib/sdk/a2a"),
    figure: testsPassed,
  },
  {
    id: "langgraph",
    area: "gate",
    show: "a real LangGraph server from npm with our app mounted",
    bar: "both wait routes gated, streaming routes usable, the graph's own trace a sibling",
    command: node("e2e/langgraph-agent/prove.ts"),
    figure: (output) => `${find(output, /langgraph: (\d+) checks passed/)[0]} checks passed`,
  },
  {
    id: "traces",
    area: "gate",
    show: "spans and metrics of the gate and of the service, with real exporters, broken ones and none",
    bar: "the specification's names, keys and failure rules; no request is touched",
    command: vitest("lib/sdk/tracing", "lib/sdk/metrics", "lib/server/watch/watch.test.ts"),
    figure: testsPassed,
  },
  {
    id: "examples",
    area: "gate",
    show: "the guide's examples, one per framework, run as they are printed",
    bar: "each asks for payment and is paid",
    command: vitest("lib/sdk/examples.test.ts", "lib/sdk/guides.test.ts"),
    figure: testsPassed,
  },
  {
    id: "package-size",
    area: "gate",
    show: "what an agent bundles when it imports the gate and the client, or only decodes tokens",
    bar: `minified and gzipped by esbuild, { createGate, Payments } is under ${GATE_KB} KB and { decodeAccessToken } under 20 KB; no entry point brings another`,
    command: vitest("lib/sdk/bundle-size.test.ts"),
    figure: (output) => {
      const sizeOf = (bundler: string, names: string) =>
        Number(find(output, new RegExp(`bundle: ${bundler}: { ${names} } .*: ([\\d.]+) KB`))[0]);
      return ["esbuild", "rolldown"]
        .map((bundler) => {
          const gate = below(
            "gate and client KB",
            sizeOf(bundler, "createGate, Payments"),
            GATE_KB,
          );
          const decoder = below("decoder KB", sizeOf(bundler, "decodeAccessToken"), 20);
          return `${bundler}: ${gate}, ${decoder}`;
        })
        .join("; ");
    },
  },
  {
    id: "runtimes",
    area: "gate",
    show: "the packed package gates a request, is paid, decodes a token and calls the service, on each runtime",
    bar: "Node 20, 22 and 24, Bun, Deno and workerd",
    command: node("e2e/runtimes/prove.ts"),
    figure: (output) =>
      find(output, /runtimes: (Node 20.*Node 22.*Node 24.*Bun.*Deno.*workerd.*)/)[0] as string,
  },
];
