// A steady mixture of calls: each is due at its time, so a slow answer delays none after it.
import { Agent, createServer, request } from "node:http";
import { serveOn } from "@/lib/server/own-url.ts";
import { requirementOf } from "@/lib/server/testing/operation-samples.ts";
import type { TestMarket } from "@/lib/server/testing/test-service.ts";

/** Calls a second of each kind. */
const RATES = { verify: 20, settle: 20, refused: 4, unknownKey: 2, list: 4, plan: 4, stream: 0.5 };
type Kind = keyof typeof RATES;
const STREAMS = 20;
const STREAM_LIFE_MS = 10_000;

export type SoakMarket = { market: TestMarket; tokens: string[] };
/** Answers so far: settle's times by minute from the start, statuses by kind, events that came. */
export type SoakLoad = ReturnType<typeof startSoakLoad>;

/** A receiver of webhooks; how many came. */
export async function openReceiver() {
  let deliveries = 0;
  const server = createServer((asked, response) => {
    asked.resume().once("end", () => {
      deliveries += 1;
      response.writeHead(204).end();
    });
  });
  const { origin, close } = await serveOn(server);
  return { url: `${origin}/hooks`, deliveries: () => deliveries, close };
}

type Asked = { url: string; apiKey: string; note: (status: number, body?: string) => void };

/** Makes one call; done when its answer has come, or the connection has failed. */
const ask = (agent: Agent, { url, apiKey, note }: Asked, body?: object) =>
  new Promise<void>((done) => {
    const asked = request(url, {
      agent,
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    });
    asked.once("response", (answer) => {
      let text = "";
      answer.on("data", (chunk: Buffer) => (text += chunk));
      answer.once("close", () => {
        note(answer.statusCode ?? 0, text);
        done();
      });
    });
    asked.once("error", () => {
      note(0);
      done();
    });
    asked.end(body && JSON.stringify(body));
  });

/** Follows an account's events for a while. */
const follow = ({ url, apiKey, note }: Asked, onMessage: () => void) =>
  new Promise<void>((done) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const asked = request(url, { agent: false, headers });
    const life = setTimeout(() => asked.destroy(), STREAM_LIFE_MS);
    asked.once("response", (answer) => {
      note(answer.statusCode ?? 0);
      answer.on("data", (chunk: Buffer) => chunk.includes("data:") && onMessage());
    });
    asked.once("error", () => {});
    asked.once("close", () => {
      clearTimeout(life);
      done();
    });
    asked.end();
  });

export function startSoakLoad(url: string, { market, tokens }: SoakMarket) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const start = performance.now();
  const settleMs: number[][] = [];
  const statuses: Record<string, number> = {};
  const running = new Set<Promise<void>>();
  let count = 0;
  let events = 0;

  const call = (kind: Kind, path: string, apiKey = market.builder.apiKey): Asked => ({
    url: `${url}/api/v1${path}`,
    apiKey,
    note(status, body = "") {
      // Verify and settle decline with 200 too.
      const isDeclined = path.startsWith("/x402/") && /"(?:isValid|success)":false/.test(body);
      const name = `${kind} ${status}${isDeclined ? " declined" : ""}`;
      statuses[name] = (statuses[name] ?? 0) + 1;
    },
  });
  const paid = (x402AccessToken = tokens[count % tokens.length]) => ({
    paymentRequired: requirementOf(market),
    x402AccessToken,
    agentRequestId: `soak-${String(count).padStart(12, "0")}`,
  });
  const verify = "/x402/verify";
  const calls: Record<Kind, (due: number) => Promise<void>> = {
    verify: () => ask(agent, call("verify", verify), paid()),
    async settle(due) {
      await ask(agent, call("settle", "/x402/settle"), paid());
      const minute = Math.floor((due - start) / 60_000);
      settleMs[minute] ??= [];
      settleMs[minute].push(performance.now() - due);
    },
    refused: () => ask(agent, call("refused", verify), paid("not.a.token")),
    unknownKey: () => ask(agent, call("unknownKey", verify, "sandbox:unknown"), paid()),
    list: () => ask(agent, call("list", "/requests?limit=20")),
    plan: () => ask(agent, call("plan", `/protocol/plans/${market.planId}`)),
    stream: () => follow(call("stream", "/events/stream"), () => (events += 1)),
  };
  const run = (kind: Kind, due: number) => {
    count += 1;
    const under = calls[kind](due).finally(() => running.delete(under));
    running.add(under);
  };
  const timers = (Object.keys(RATES) as Kind[]).map((kind) => {
    let sent = 0;
    return setInterval(() => {
      for (; ; sent++) {
        const due = start + (sent * 1_000) / RATES[kind];
        if (due > performance.now()) return;
        run(kind, due);
      }
    }, 5);
  });
  for (let n = 0; n < STREAMS; n++) run("stream", start);
  return {
    settleMs,
    statuses,
    events: () => events,
    calls: () => count,
    async end() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
      agent.destroy();
    },
  };
}

/** Answers other than those of a service that is well. */
export const unwanted = ({ statuses }: SoakLoad): number =>
  Object.entries(statuses)
    .filter(
      ([name]) =>
        !/^((verify|settle|list|plan|stream) 200|refused 200 declined|unknownKey 401)$/.test(name),
    )
    .reduce((sum, [, count]) => sum + count, 0);
