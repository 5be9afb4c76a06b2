import { createHash, randomBytes } from "node:crypto";
import {
  buildPaymentRequired,
  getDynamicCreditsConfig,
  getErc20PriceConfig,
  getExpirableDurationConfig,
  getFixedCreditsConfig,
  type PlanCreditsConfig,
} from "@turnpike/payments/protocol";
import { addressOfKey } from "@/lib/adapters/crypto/signatures.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createApiKey } from "@/lib/domain/accounts/api-keys.ts";
import type { Context } from "@/lib/domain/context.ts";
import type { FactsCache } from "@/lib/domain/permissions/permission-facts.ts";
import { registerAgent } from "@/lib/domain/plans/agents.ts";
import { registerCreditsPlan, registerTimePlan } from "@/lib/domain/plans/plans.ts";
import type { Log, Ports } from "@/lib/domain/ports.ts";
import { type CashRail, createCashRail } from "@/lib/domain/testing/cash-rail.ts";
import { createServices } from "@/lib/server/services.ts";
import {
  completeRails,
  testCryptoTerms,
  testDeployment,
} from "@/lib/server/testing/pretend-rail.ts";
import type { Actor, Party, Plan } from "./actor.ts";
import { LeasingModel } from "./leasing-model.ts";
import type { Fault, Terms } from "./model-records.ts";

export const UNIT = 1_000_000n;
const RECEIVER = "0x000000000000000000000000000000000000dEaD";
export const REPLICAS = 2;
const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} };
const FORGETFUL: FactsCache = { get: () => undefined, set: () => {}, delete: () => {} };

/** What is sold: by the request, in a range, for a while, and access for a time. */
const PLANS: PlanCreditsConfig[] = [
  getFixedCreditsConfig(150n, 3n),
  getDynamicCreditsConfig(120n, 1n, 10n),
  { ...getDynamicCreditsConfig(100n, 1n, 5n), durationSecs: 3_600n },
  getExpirableDurationConfig(7_200n),
];

export type World = {
  database: Database;
  actors: Actor[];
  rail: CashRail;
  setFault: (fault: Fault | null) => void;
  /** Starts a replica again, with nothing in memory. */
  restart: (replica: number) => void;
  /** The service's background work and clock. */
  ports: Ports;
  asBuilder: (actor: Actor, replica: number) => Context;
  /** The same caller where the key is read beforehand. */
  asOwner: (actor: Actor, replica: number) => Context;
  asSubscriber: (actor: Actor, replica: number) => Context;
};

/** What the model would wait for never comes in the same round. */
export class Waits extends Error {}
/** A statement, or its reply, that was lost. */
export class Lost extends Error {}

/** Replicas of the service on one database whose clock only the simulator moves. */
export async function createWorld(database: Database, actorCount: number): Promise<World> {
  // In plpgsql: a function in SQL is parsed and planned again by every statement that asks for the time.
  await database.query(
    `create or replace function app_now() returns timestamptz language plpgsql stable as $$
      begin
        return timestamptz '2030-01-01T00:00:00Z'
          + coalesce((select make_interval(secs => offset_ms / 1000.0) from clock where id = 1), interval '0');
      end $$`,
    [],
  );
  let fault: Fault | null = null;
  const rail = createCashRail(testCryptoTerms());
  const secretKey = randomBytes(32);
  const deployment = testDeployment();
  const serve = (on: Database): Ports =>
    createServices({
      environment: "sandbox",
      database: on,
      secretKeys: [secretKey],
      deployment,
      addressOf: (owner) => owner,
      rails: completeRails([rail]),
      cards: null,
      log: SILENT,
    }).money;
  const ports = serve(database);
  const start = (replica: number): Ports => ({
    ...serve(withFaults(database, () => (fault?.replica === replica ? fault : null))),
    pause: () => Promise.reject(new Waits()),
  });
  const replicas = Array.from({ length: REPLICAS }, (_, replica) => start(replica));
  const plans = await createPlans(ports);
  const actors = await Promise.all(
    Array.from({ length: actorCount }, async (_, index): Promise<Actor> => {
      const { plan, terms } = plans[index % plans.length] as (typeof plans)[number];
      const party = await createParty(ports);
      const model = new LeasingModel(terms);
      return {
        index,
        party,
        plan,
        model,
        tokens: [],
        ids: [],
        keys: [],
        leases: [],
        lent: 0,
        sent: [],
        lastToken: new Map(),
        touched: new Set(),
      };
    }),
  );
  const as = ({ context }: Party, replica: number) => ({
    ...context,
    ports: replicas[replica] ?? ports,
  });
  return {
    database,
    actors,
    rail,
    setFault: (next) => {
      fault = next;
    },
    restart: (replica) => {
      replicas[replica] = start(replica);
    },
    ports,
    asBuilder: ({ plan: { builder } }, replica) => {
      const context = as(builder, replica);
      // A replica settles from memory what it reserved, before it reads. The model reads first: where that settlement may
      // be lost, so does the service.
      const ports =
        fault?.statement === "settle_requests"
          ? { ...context.ports, factsCache: FORGETFUL }
          : context.ports;
      return { ...context, ports, caller: null, keyHash: builder.keyHash };
    },
    asOwner: ({ plan: { builder } }, replica) => as(builder, replica),
    asSubscriber: ({ party }, replica) => as(party, replica),
  };
}

/** An account with a key of the service's, as someone has it who signed in by email. */
async function createParty(ports: Ports): Promise<Party> {
  const key = randomBytes(32);
  const owner = addressOfKey(key);
  const address = ports.addresses.addressOf(owner);
  const ownerKey = ports.crypto.seal(`0x${key.toString("hex")}`, {
    purpose: "account-owner",
    row: owner,
  });
  const createdAt = await ports.clock.now();
  await ports.accounts.ensure({
    address,
    owner,
    ownerKey,
    isOperator: false,
    testOf: null,
    createdAt,
  });
  const caller = { account: address, keyId: null, isOperator: false, provenMsAgo: 0 } as const;
  const context: Context = { ports, caller, keyHash: null, requestId: "simulator" };
  const { apiKey } = await createApiKey(context, { name: "simulator" });
  const keyHash = createHash("sha256").update(apiKey).digest("hex");
  return { address, keyHash, context };
}

async function createPlans(ports: Ports): Promise<{ plan: Plan; terms: Terms }[]> {
  const usdc = [...ports.stableTokens.keys()][0] ?? "";
  const endpoint = "https://agent.example/ask";
  return Promise.all(
    PLANS.map(async (credits) => {
      const builder = await createParty(ports);
      const { context } = builder;
      const terms = termsOf(credits);
      const plan = {
        metadataAttributes: { name: "Simulated" },
        priceConfig: getErc20PriceConfig(UNIT, usdc, RECEIVER),
        creditsConfig: credits,
        redeemers: [],
      };
      const { planId } = terms.isTime
        ? await registerTimePlan(context, { ...plan, accessLimit: "time" })
        : await registerCreditsPlan(context, { ...plan, accessLimit: "credits" });
      const { agentId } = await registerAgent(context, {
        metadataAttributes: { name: "Simulated" },
        agentApiAttributes: {
          endpoints: [{ verb: "POST", url: endpoint }],
          openEndpoints: [],
          authType: "NONE",
          agentDefinitionUrl: "https://agent.example/a.json",
        },
        plans: [planId],
      });
      const requirement = buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" });
      return { plan: { builder, planId, agentId, requirement }, terms };
    }),
  );
}

function termsOf(credits: PlanCreditsConfig): Terms {
  const isTime = credits === PLANS[3];
  return {
    granted: BigInt(credits.amount),
    least: credits.minAmount,
    most: credits.maxAmount,
    isFixed: credits.isRedemptionAmountFixed,
    isTime,
    durationSecs: Number(credits.durationSecs),
  };
}

/** The database as a replica sees it whose connection breaks. */
function withFaults(database: Database, current: () => Fault | null): Database {
  return {
    ...database,
    for: (workload) => withFaults(database.for(workload), current),
    async query<Row>(text: string, parameters: unknown[]): Promise<Row[]> {
      const fault = current();
      if (!fault || !text.includes(`${fault.statement}(`)) return database.query(text, parameters);
      if (fault.when === "before") throw new Lost();
      const rows = await database.query<Row>(text, parameters);
      if (fault.when === "after") throw new Lost();
      return rows;
    },
  };
}
