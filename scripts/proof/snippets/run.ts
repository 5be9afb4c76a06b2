// Runs every snippet of documents and pages as printed, against the sandbox of `scripts/with-sandbox.ts`:
// node scripts/with-sandbox.ts node scripts/proof/snippets/run.ts [DOCUMENT …]
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Payments } from "@turnpike/payments";
import type { Market } from "@/components/plans/market.ts";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";
import { readPaper } from "@/lib/server/guides.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { blocksOf } from "./markdown.ts";
import { builderSnippets, buyerSnippets, type PageSnippet } from "./page-snippets.ts";
import { runDocument } from "./run-document.ts";
import { runPages } from "./run-pages.ts";
import { createReader, findPython, findRuntimes, openSandbox, type Runtime } from "./world.ts";

const GUIDES = "docs/guides";
const asked = process.argv.slice(2);
const ALL = ["README.md", "lib/sdk/README.md", ...(await guides())];
// Documents that install packages of others take minutes.
const DOCUMENTS = asked.length > 0 ? asked : inFull(ALL, []);

const sandbox = await openSandbox();
const { url, builder, subscriber, plans, agent } = sandbox;
const place = await mkdtemp(join(tmpdir(), "turnpike-snippets-"));
const python = await findPython("fastapi, uvicorn");
const account = { apiKey: builder.apiKey, url, python: python ?? "python3" };
const broken: string[] = [];
let count = 0;

async function guides(): Promise<string[]> {
  return (await readdir(GUIDES))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(GUIDES, name));
}

/** Blocks without a mark are defects wherever they are. */
function findDefects(source: string): void {
  const { unmarked } = blocksOf(source, readPaper(source));
  for (const { line, language } of unmarked) {
    broken.push(
      `${source}:${line} a ${language} block that says neither file, run, serve nor excerpt`,
    );
  }
}

async function runDocuments(runtime: Runtime): Promise<void> {
  for (const source of DOCUMENTS) {
    const isQuickstart = source.includes("quickstart-");
    if (source.endsWith("quickstart-fastapi.md") && !python) continue;
    const folder = join(place, runtime.name, source.replaceAll("/", "-"));
    const isBuyer = source.endsWith("buying.md");
    const isBuilder = !isBuyer && !isQuickstart && source !== "README.md";
    const { apiKey } = isBuyer ? subscriber : builder;
    const reader = await createReader({ ...account, apiKey }, { folder, runtime, isBuilder });
    if (isBuyer) {
      reader.env.TURNPIKE_AGENT_ID = agent.agentId;
      reader.env.TURNPIKE_PLAN_ID = plans.crypto;
    }
    const { blocks } = blocksOf(source, readPaper(source));
    try {
      count += await runDocument(blocks, reader);
    } catch (cause) {
      broken.push(`${runtime.name} ${(cause as Error).message}`);
    }
    await archivePrinted();
  }
}

/** The agents whose address a document prints: the next reader registers it again, and an address is one agent. */
async function archivePrinted(): Promise<void> {
  const { agents } = await builderClient().agents.listAgents({ limit: 100 });
  for (const { agentId, metadata } of agents) {
    if (JSON.stringify(metadata.agent.endpoints).includes("https://agent.example/"))
      await builderClient().agents.archiveAgent(agentId);
  }
}

/** The pages' samples: the builder's with an own plan and agent, the subscriber's with the demo agent. */
async function runSnippets(runtime: Runtime): Promise<void> {
  const market = await readMarket();
  const both = await Promise.all([runBuilders(runtime, market), runBuyers(runtime, market)]);
  broken.push(...both.flat().map((text) => `${runtime.name} ${text}`));
}

async function runBuilders(runtime: Runtime, market: Market): Promise<string[]> {
  const folder = join(place, runtime.name, "builder");
  await mkdir(folder, { recursive: true });
  const reader = await createReader(account, { folder, runtime, isBuilder: true });
  const { TURNPIKE_PLAN_ID: planId = "", TURNPIKE_AGENT_ID: agentId = "" } = reader.env;
  const seller = { planId, agentId, port: reader.port, terms: await readTerms(planId) };
  const isShort = (snippet: PageSnippet) => inFull(true, !snippet.name.startsWith("/"));
  const own = builderSnippets(market, seller).filter(isShort);
  count += own.length;
  return runPages(own, reader);
}

async function runBuyers(runtime: Runtime, market: Market): Promise<string[]> {
  const folder = join(place, runtime.name, "buyer");
  await mkdir(folder, { recursive: true });
  const buyerAccount = { ...account, apiKey: subscriber.apiKey };
  const buyer = await createReader(buyerAccount, { folder, runtime, isBuilder: false });
  const payments = Payments.getInstance({ apiKey: subscriber.apiKey, baseUrl: url });
  await payments.plans.orderPlan(plans.crypto);
  const minted = await payments.x402.getX402AccessToken(plans.crypto, agent.agentId);
  const { accessToken: token } = minted;
  buyer.env.TURNPIKE_ACCESS_TOKEN = token;
  const sold = { planId: plans.crypto, agentId: agent.agentId, url: agent.url, token };
  const bought = buyerSnippets(market, { ...sold, terms: await readTerms(plans.crypto) });
  count += bought.length;
  return runPages(bought, buyer);
}

const builderClient = () => Payments.getInstance({ apiKey: builder.apiKey, baseUrl: url });
const readTerms = async (planId: string) =>
  termsOfPlan(await builderClient().plans.getPlan(planId));

async function readMarket(): Promise<Market> {
  const { price } = await readTerms(plans.crypto);
  return {
    environment: "sandbox",
    origin: url,
    network: "eip155:84532",
    chainName: "Base Sepolia",
    nativeSymbol: "ETH",
    tokens: [{ address: price.tokenAddress, symbol: "USDC", decimals: 6, isStable: true }],
    ownAddress: builder.address,
  };
}

for (const source of ALL) findDefects(source);
const runtimes = await findRuntimes();
for (const runtime of runtimes) {
  await runDocuments(runtime);
  if (asked.length === 0) await runSnippets(runtime);
}
await rm(place, { recursive: true, force: true });
for (const text of broken) console.log(`broken: ${text}`);
const versions = runtimes.map(({ name }) => name).join(", ");
console.log(
  `snippets: ${count} run on ${runtimes.length} Node versions (${versions}), ${broken.length} broken`,
);
if (broken.length > 0) process.exitCode = 1;
