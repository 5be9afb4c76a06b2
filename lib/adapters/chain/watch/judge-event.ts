import { type Address, decodeEventLog, type Hex, isAddressEqual, type Log } from "viem";
import type { ChainAsks, PlanVersion } from "@/lib/domain/chain-ports.ts";
import type { ChainFinding, FindingKind } from "@/lib/domain/finding-ports.ts";
import type { ChainPurchase } from "@/lib/domain/reconciliation/repair.ts";
import { creditsAbi, plansAbi } from "../abis.ts";
import { findReceipt } from "../bundler/resolve-bundle.ts";
import { burnCall } from "../bundler/user-operation.ts";
import { saleIdOf } from "../chain-plan.ts";
import { holdsRole, PLAN_ROLES } from "../check-roles.ts";
import { DETERMINISTIC_DEPLOYER } from "../deployment-plan.ts";
import { type Operator, takeBackReference } from "../operator.ts";
import { orderCall } from "../order-calls.ts";
import { hasTermsOnChain } from "../plan-registry.ts";
import { isSentHere } from "./sent-here.ts";

/** The ledger's word about an event: it asked for it, an order that may have is under way, or a finding. */
export type Judgement = "asked" | "under-way" | ChainFinding;

export type JudgeOptions = {
  operator: Operator;
  asks: ChainAsks;
  findVersion: (planId: string, version: number) => Promise<PlanVersion>;
  /** Pauses orders for the service itself: the sandbox's failure lab. */
  pausesItself?: Address | undefined;
};

export type MinedLog = Log<bigint, number, false>;

const abi = [...plansAbi, ...creditsAbi] as const;
type Event = ReturnType<typeof decode>;
type ArgsOf<Name extends NonNullable<Event>["eventName"]> = Extract<
  NonNullable<Event>,
  { eventName: Name }
>["args"];

/** The cap that the contract begins with. */
const FIRST_CAP = "10,1000";

/** Undefined for events that say nothing the others do not: transfers, and the credits' side of mints. */
function decode({ data, topics }: MinedLog) {
  try {
    return decodeEventLog({ abi, data, topics, strict: true });
  } catch {
    return undefined;
  }
}

/**
 * Whether the ledger asked for an event of the contracts. Plans that the ledger does not have concern no one here:
 * anyone may register and sell plans of their own.
 *
 * @param isRepeat whether an earlier event of its transaction is the same. The service asks for each once.
 */
export async function judgeEvent(
  options: JudgeOptions,
  log: MinedLog,
  isRepeat: boolean,
): Promise<Judgement> {
  const event = decode(log);
  if (!event) return "asked";
  const find = findingsOf(log);
  switch (event.eventName) {
    case "PlanRegistered":
      return judgePlan(options, event.args, find);
    case "PlanVersionRegistered":
      return judgeVersion(options, event.args, find);
    case "PlanOrdered":
      return judgeOrder(options, event.args, { find, log, isRepeat });
    case "PlanMinted":
      return judgeMint(options, event.args, find);
    case "CreditsTakenBack":
      return judgeTakeBack(options, event.args, find);
    case "CreditsBurned":
      return judgeBurn(options, event.args, { find, log, isRepeat });
    case "RoleGranted":
      return (await isExpectedRole(options, event.args))
        ? "asked"
        : find("role", `${roleName(event.args.role)} was granted to ${event.args.account}.`);
    case "RoleRevoked":
      return find("role", `${roleName(event.args.role)} was taken from ${event.args.account}.`);
    case "RoleAdminChanged":
      return find("role", `The administrator of ${roleName(event.args.role)} was changed.`);
    case "DailyCapChanged": {
      const { orders, calls } = event.args;
      const text = `The daily cap was set to ${orders} orders a plan and ${calls} calls.`;
      return `${orders},${calls}` === FIRST_CAP ? "asked" : find("cap", text);
    }
    case "Paused":
    case "Unpaused": {
      const { account } = event.args;
      const verb = event.eventName === "Paused" ? "paused" : "resumed";
      const isOwn = options.pausesItself && isAddressEqual(account, options.pausesItself);
      return isOwn ? "asked" : find("pause", `Orders were ${verb} by ${account}.`);
    }
    default:
      return "asked";
  }
}

type About = Partial<Pick<ChainFinding, "state" | "account" | "planId" | "credits">>;
type Found = { find: Find; log: MinedLog; isRepeat: boolean };
type Find = (kind: FindingKind, detail: string, about?: About) => ChainFinding;

/** The finding of an event: its transaction, and its place in the block. */
export const idOf = ({ transactionHash, logIndex }: MinedLog) => `${transactionHash}:${logIndex}`;

function findingsOf(log: MinedLog): Find {
  const { transactionHash, blockNumber } = log;
  return (kind, detail, about = {}) => ({
    findingId: idOf(log),
    block: blockNumber,
    transaction: transactionHash,
    kind,
    state: "open",
    detail,
    account: null,
    planId: null,
    credits: 0n,
    ...about,
  });
}

async function judgePlan(
  { operator, asks, findVersion }: JudgeOptions,
  { planId, owner }: ArgsOf<"PlanRegistered">,
  find: Find,
): Promise<Judgement> {
  const id = planId.toString();
  if (!(await asks.findPlan(id))) return "asked";
  if (await hasTermsOnChain(operator, await findVersion(id, 1))) return "asked";
  const detail = `Plan ${id} was registered for ${owner} with terms that the ledger does not have.`;
  return find("plan", detail, { planId: id });
}

async function judgeVersion(
  options: JudgeOptions,
  { planId, versionId, by }: ArgsOf<"PlanVersionRegistered">,
  find: Find,
): Promise<Judgement> {
  const id = planId.toString();
  const plan = await options.asks.findPlan(id);
  if (!plan) return "asked";
  const version = findSoldVersion(id, plan.version, versionId);
  const asked = version && (await options.findVersion(id, version));
  if (asked && (await hasTermsOnChain(options.operator, asked))) return "asked";
  const state = isAddressEqual(by, plan.owner as Address) ? "noted" : "open";
  const detail = `${by} registered a version of plan ${id} that the ledger does not have.`;
  return find("version", detail, { planId: id, state });
}

async function judgeOrder(
  { operator, asks }: JudgeOptions,
  { planId: saleId, account, credits }: ArgsOf<"PlanOrdered">,
  { find, log, isRepeat }: Found,
): Promise<Judgement> {
  const ofVersion = await operator.client.readContract({
    address: operator.deployment.plans,
    abi: plansAbi,
    functionName: "planOfVersion",
    args: [saleId],
  });
  const planId = ofVersion.toString();
  const plan = await asks.findPlan(planId);
  if (!plan) return "asked";
  const version = findSoldVersion(planId, plan.version, saleId);
  const { transactionHash: transaction } = log;
  const isFirst = version && !isRepeat;
  const order = isFirst && (await asks.findOrder({ account, planId, version, transaction }));
  if (order) return order === "paid" ? "asked" : "under-way";
  const about = { account, planId, credits };
  const cause = { account, ...orderCall(operator.deployment, { planId: saleId, value: 0n }) };
  if (!isRepeat && (await isSentHere({ operator, asks }, log, cause))) {
    const detail = `${account} ordered plan ${planId} through the service, and the ledger has no such order.`;
    return find("forgotten_order", detail, about);
  }
  const detail = `${account} ordered plan ${planId} on chain, outside the service.`;
  return find("order", detail, { ...about, state: "noted" });
}

async function judgeMint(
  { asks }: JudgeOptions,
  { planId, account, credits }: ArgsOf<"PlanMinted">,
  find: Find,
): Promise<Judgement> {
  const id = planId.toString();
  if (!(await asks.findPlan(id))) return "asked";
  const detail = `${credits} credits of plan ${id} were minted to ${account}.`;
  return find("mint", detail, { account, planId: id, credits });
}

async function judgeTakeBack(
  { asks }: JudgeOptions,
  { planId, account, ref, amount }: ArgsOf<"CreditsTakenBack">,
  find: Find,
): Promise<Judgement> {
  const id = planId.toString();
  if (!(await asks.findPlan(id))) return "asked";
  const known = await asks.listTakeBacks({ account, planId: id });
  const isAsked = known.some(
    (one) => one.amount === amount && takeBackReference(one.cause) === ref,
  );
  if (isAsked) return "asked";
  const detail = `${amount} credits of plan ${id} were taken back from ${account}.`;
  return find("take_back", detail, { account, planId: id, credits: -amount });
}

async function judgeBurn(
  { operator, asks }: JudgeOptions,
  { planId, account, root, amount, count, redeemer }: ArgsOf<"CreditsBurned">,
  { find, log, isRepeat }: Found,
): Promise<Judgement> {
  const id = planId.toString();
  const plan = await asks.findPlan(id);
  if (!plan) return "asked";
  const burn = { holder: account, planId, amount, count, root };
  const { blockNumber: block, transactionHash: transaction } = log;
  const asked = isRepeat ? "failed" : await asks.findBurn({ ...burn, block, transaction });
  if (asked === "under-way" || asked === "included") return asked === "included" ? "asked" : asked;
  const about = { account, planId: id, credits: -amount };
  const cause = { account: redeemer, ...burnCall(operator.deployment, burn) };
  if (asked === null && (await isSentHere({ operator, asks }, log, cause))) {
    const detail = `${amount} credits of plan ${id} of ${account} were burned through the service, and the ledger has no such settlements.`;
    return find("forgotten_burn", detail, about);
  }
  // Their own, as holder or owner, or by a role that the plan's owner gave: only an administrator gives the global one.
  const isTheirs =
    isAddressEqual(redeemer, account) ||
    isAddressEqual(redeemer, plan.owner as Address) ||
    !(await holdsRole({ ...operator, name: "GLOBAL_REDEEMER_ROLE", account: redeemer }));
  const detail = `${redeemer} burned ${amount} credits of plan ${id} of ${account}, outside the service.`;
  const state = isTheirs ? "noted" : "open";
  return find("burn", detail, { ...about, state });
}

/** What an order on chain bought, by its event; null when the ledger does not sell it, or the chain no longer has it. */
export async function readPurchase(
  { operator, asks }: Pick<JudgeOptions, "operator" | "asks">,
  { findingId, transaction, planId }: Pick<ChainFinding, "findingId" | "transaction" | "planId">,
): Promise<ChainPurchase | null> {
  // A transaction that a reorganization dropped has none.
  const receipt = await findReceipt(operator.client, transaction);
  const log = receipt?.logs.find(({ logIndex }) => findingId.endsWith(`:${logIndex}`));
  const event = log && decode(log);
  const plan = planId === null ? null : await asks.findPlan(planId);
  if (!log || event?.eventName !== "PlanOrdered" || !plan || planId === null) return null;
  const planVersion = findSoldVersion(planId, plan.version, event.args.planId);
  if (!planVersion) return null;
  const { timestamp } = await operator.client.getBlock({ blockNumber: log.blockNumber });
  const paidAt = new Date(Number(timestamp) * 1000);
  return { account: event.args.account, planId, planVersion, transaction, paidAt };
}

/** The version that is sold under an id, or undefined. */
function findSoldVersion(planId: string, latest: number, saleId: bigint): number | undefined {
  for (let version = latest; version >= 1; version--) {
    if (saleIdOf({ planId, version }) === saleId) return version;
  }
  return undefined;
}

/** The roles that the deployment granted, also to earlier settlers, and those of the current key. */
async function isExpectedRole(
  { operator: { deployment, sender }, asks }: JudgeOptions,
  { role, account, sender: grantor }: ArgsOf<"RoleGranted">,
): Promise<boolean> {
  const expected: Record<string, Address | undefined> = {
    DEFAULT_ADMIN_ROLE: deployment.admin,
    PAUSER_ROLE: deployment.pauser,
    REGISTRAR_ROLE: sender.address,
    MINTER_ROLE: sender.address,
  };
  const holder = expected[roleName(role)];
  if (holder === undefined || isAddressEqual(holder, account)) return holder !== undefined;
  // Only the constructor grants in the deployer's name.
  if (holder !== sender.address || !isAddressEqual(grantor, DETERMINISTIC_DEPLOYER)) return false;
  return (await asks.listSettlers()).some(({ address }) => isAddressEqual(address, account));
}

const roleName = (role: Hex): string => PLAN_ROLES[role] ?? role;
