import { read, readPublic } from "@/app/_session/operations.ts";
import { findSandbox } from "@/app/demo/find-sandbox.ts";
import type { Preset } from "@/components/playground/request/preset.ts";

/** How many of the plans the account ordered are looked up. */
const MOST_PLANS = 10;

/** The sandbox's demo agent, then the endpoints of agents of the account and of plans it ordered; a visitor has none. */
export async function readPresets(account: string | null): Promise<Preset[]> {
  const sandbox = await findSandbox();
  const [offer, { items }, ordered] = await Promise.all([
    sandbox && account && readOffer(sandbox.plans.crypto, account),
    account ? read("listAgents", { limit: 20 }) : { items: [] },
    account ? readOrderedAgents() : [],
  ]);
  const demo: Preset[] = sandbox
    ? [
        {
          id: "demo",
          label: "Demo agent, POST /ask",
          note: "Counts the words of what you send",
          method: "POST",
          url: sandbox.agent.url,
          body: '{\n  "text": "What changed since last year?"\n}',
          ...(offer && { offer }),
        },
      ]
    : [];
  const agents = new Map([...items, ...ordered].map((agent) => [agent.agentId, agent]));
  const mine = [...agents.values()].flatMap(({ agentId, metadata }) =>
    metadata.agent.endpoints.flatMap((endpoint) =>
      Object.entries(endpoint).flatMap(([method, url]) =>
        url && url !== sandbox?.agent.url
          ? [
              {
                id: `${agentId} ${method} ${url}`,
                label: `${metadata.main.name}, ${method}`,
                note: url,
                method,
                url,
              },
            ]
          : [],
      ),
    ),
  );
  return [...demo, ...foreignPresets(sandbox?.foreign), ...mine];
}

async function readOrderedAgents() {
  const { items } = await read("listSubscriptions", { limit: MOST_PLANS });
  const pages = await Promise.all(
    items.map(({ planId }) => readPublic("getPlanAgents", { planId, limit: MOST_PLANS })),
  );
  return pages.flatMap((page) => page?.items ?? []);
}

type Sandbox = NonNullable<Awaited<ReturnType<typeof findSandbox>>>;

/** Sellers that are not on Turnpike, of the stock x402 middleware. */
const foreignPresets = (foreign: Sandbox["foreign"]): Preset[] =>
  Object.entries(foreign ?? {}).map(([name, url]) => ({
    id: name,
    label: name === "honoUrl" ? "x402 seller, Hono" : "x402 seller, Express",
    note: "Not on Turnpike: 0.01 USDC by exact",
    method: "GET",
    url,
  }));

/** The maximum credits of a call, and the credits the account has left. Undefined when either can't be read. */
async function readOffer(planId: string, holderAddress: string): Promise<Preset["offer"]> {
  try {
    const [plan, balance] = await Promise.all([
      readPublic("getPlan", { planId }),
      readPublic("getPlanBalance", { planId, holderAddress }),
    ]);
    if (!plan || !balance) return undefined;
    const { metadata, registry } = plan;
    const credits = String(registry.credits.maxAmount);
    return { planId, plan: metadata.main.name, credits, left: String(balance.balance) };
  } catch {
    return undefined;
  }
}
