import {
  type Agent,
  isWebUrl,
  type PageQuery,
  type ParsedInputOf,
  PaymentsError,
} from "@turnpike/payments/protocol";
import { requireRoom } from "../accounts/room.ts";
import { auditNote, type Context, invalid, notFound, requireCaller } from "../context.ts";
import { pageAnswer } from "../page-answer.ts";
import type { AgentCheck } from "../ports.ts";
import type { AgentRecord, Page, PlanRecord } from "../records.ts";
import { requireChange } from "../require-change.ts";
import type { Verb } from "../verb.ts";
import { apiOf, changedApi } from "./agent-api.ts";
import { spellingsOf } from "./agent-url.ts";
import { byNonce } from "./by-nonce.ts";
import { editTime, untilWritten } from "./edit.ts";
import { getOwnPlan, getPlanRecord, newPlan, planPage } from "./plans.ts";

/** Registers an agent and the plans that pay for it (§4.1); only plans of the caller's. */
export const registerAgent: Verb<"registerAgent"> = (context, input) => {
  const { account } = requireCaller(context);
  const { agents } = context.ports;
  const { nonce } = input;
  return byNonce(nonce, async () => {
    const known = nonce === undefined ? null : await agents.findByNonce(account, nonce);
    if (known) return registered(known.agentId);
    const planIds = [...new Set(input.plans)];
    for (const planId of planIds) await getOwnPlan(context, planId);
    const agent = await newAgent(context, input, planIds);
    agent.nonce = nonce ?? null;
    const note = auditNote(context, "agent.register", agent.agentId);
    await agents.insert(agent, null, note, refuseKnownEndpoint(agent));
    return registered(agent.agentId);
  });
};

/** Registers an agent with a new plan: both or neither. The plan's nonce names both: a repeat returns the first ones. */
export const registerAgentAndPlan: Verb<"registerAgentAndPlan"> = (context, input) =>
  byNonce(input.plan.nonce, () => registerBoth(context, input));

async function registerBoth(context: Context, input: ParsedInputOf<"registerAgentAndPlan">) {
  const { account } = requireCaller(context);
  const { agents, plans } = context.ports;
  const { nonce } = input.plan;
  const known = nonce === undefined ? null : await plans.findByNonce(account, nonce);
  const named = nonce === undefined ? null : await agents.findByNonce(account, nonce);
  const first = known && (await firstAgentOf(context, known, named));
  if (first) return registeredWithPlan(first.agentId, known.planId);
  const plan =
    known ??
    (await newPlan(context, input.plan).catch((cause) => {
      throw beneath("plan", cause);
    }));
  const agent = await newAgent(context, input.agent, [plan.planId]).catch((cause) => {
    throw beneath("agent", cause);
  });
  // An agent that was registered alone may have the nonce.
  agent.nonce = named ? null : (nonce ?? null);
  const note = auditNote(context, "agent.register", agent.agentId);
  await agents.insert(agent, known ? null : plan, note, refuseKnownEndpoint(agent));
  return registeredWithPlan(agent.agentId, plan.planId);
}

/** The agent that was registered with a plan. Earlier ones have no nonce, so there the agents of the plan decide. */
async function firstAgentOf(
  { ports }: Context,
  { planId }: PlanRecord,
  named: AgentRecord | null,
): Promise<AgentRecord | null> {
  if (named?.planIds.includes(planId)) return named;
  const { items } = await ports.agents.listByPlan(planId, { limit: 1 });
  return items[0] ?? named;
}

function registeredWithPlan(agentId: string, planId: string) {
  return { agentId, planId, data: { agentId, planId }, txHash: "" };
}

export const updateAgent: Verb<"updateAgent"> = (context, input) =>
  untilWritten(async () => {
    const agent = await getOwnAgent(context, input.agentId);
    requireChange("updateAgent", input);
    const changed: AgentRecord = {
      ...agent,
      metadata: { ...agent.metadata, ...input.metadataAttributes },
      ...(input.agentApiAttributes && changedApi(context, agent, input.agentApiAttributes)),
      updatedAt: await editTime(context, agent),
    };
    const added = changed.endpoints.filter(
      ({ verb, url }) => !agent.endpoints.some((had) => had.verb === verb && had.url === url),
    );
    const check = refuseKnownEndpoint({ ...changed, endpoints: added });
    const note = auditNote(context, "agent.update", agent.agentId, {
      from: agentAnswer(agent),
      to: agentAnswer(changed),
    });
    const isWritten = await context.ports.agents.update(agent, changed, note, check);
    return isWritten ? agentAnswer(changed) : null;
  });

export const getAgent: Verb<"getAgent"> = async (context, { agentId }) => {
  const agent = await getAgentRecord(context, agentId);
  const [seen = agent] = await asSeen(context, [agent]);
  return agentAnswer(seen);
};

export const listAgents: Verb<"listAgents"> = async (context, query) => {
  const page = await context.ports.agents.listByOwner(requireCaller(context).account, query);
  return agentPage(page, query);
};

export const getPlanAgents: Verb<"getPlanAgents"> = async (context, input) => {
  await getPlanRecord(context, input.planId);
  const page = await context.ports.agents.listByPlan(
    input.planId,
    input,
    input.origin === undefined ? undefined : spellingsOf(input.origin),
  );
  return agentPage({ ...page, items: await asSeen(context, page.items, input.planId) }, input);
};

export const getAgentPlans: Verb<"getAgentPlans"> = async (context, input) => {
  const agent = await getAgentRecord(context, input.agentId);
  const page = await context.ports.plans.listByAgent(agent.agentId, input, isOwn(context, agent));
  return planPage(context.ports, page, input);
};

const MOST_PLANS = 100;

export const addPlanToAgent: Verb<"addPlanToAgent"> = async (context, { agentId, planId }) => {
  await getOwnAgent(context, agentId);
  await getOwnPlan(context, planId);
  const note = auditNote(context, "agent.link", `${agentId}/${planId}`);
  if (!(await context.ports.agents.link(agentId, planId, MOST_PLANS, note))) {
    throw new PaymentsError("conflict", `An agent has at most ${MOST_PLANS} plans.`, {
      hint: "Remove a plan from the agent first.",
    });
  }
  return { success: true } as const;
};

export const removePlanFromAgent: Verb<"removePlanFromAgent"> = async (
  context,
  { agentId, planId },
) => {
  await getOwnAgent(context, agentId);
  await context.ports.agents.unlink(
    agentId,
    planId,
    auditNote(context, "agent.unlink", `${agentId}/${planId}`),
  );
  return { success: true } as const;
};

/** The agent, or `not_found`. */
async function getAgentRecord(
  context: Context,
  agentId: string,
  hint?: string,
): Promise<AgentRecord> {
  const agent = await context.ports.agents.find(agentId);
  if (agent) return agent;
  const message = `No such agent: ${JSON.stringify(agentId)}.`;
  throw new PaymentsError("not_found", message, { hint });
}

/** A payer takes agent and plan from a 402, and can't correct them. */
const OF_SELLER =
  "Use an agent that sells the plan. If an agent's 402 names these, its seller must correct the route, or link the plan to the agent.";

/** Refuses a token for an agent that does not sell the plan. */
export async function requireLinkedAgent(
  context: Context,
  agentId: string,
  planId: string,
): Promise<void> {
  const agent = await getAgentRecord(context, agentId, OF_SELLER);
  if (agent.planIds.includes(planId)) return;
  const message = `Plan ${planId} does not pay for agent ${agentId}.`;
  throw invalid("accepted.extra.agentId", message, OF_SELLER);
}

const isOwn = ({ caller }: Context, { owner }: AgentRecord): boolean => caller?.account === owner;

/** Agents as the caller sees them: those of others name their listed plans, and the plan whose id was `given`. */
async function asSeen(
  context: Context,
  agents: AgentRecord[],
  given?: string,
): Promise<AgentRecord[]> {
  const named = agents.filter((agent) => !isOwn(context, agent)).flatMap(({ planIds }) => planIds);
  if (named.length === 0) return agents;
  const listed = await context.ports.plans.listListed(named);
  const seen = new Set([given, ...listed.map(({ planId }) => planId)]);
  return agents.map((agent) =>
    isOwn(context, agent)
      ? agent
      : { ...agent, planIds: agent.planIds.filter((planId) => seen.has(planId)) },
  );
}

/** An agent of the caller's, or `not_found`. */
export async function getOwnAgent(context: Context, agentId: string): Promise<AgentRecord> {
  const agent = await context.ports.agents.find(agentId);
  requireCaller(context);
  if (!agent || !isOwn(context, agent)) throw notFound("agent", agentId);
  return agent;
}

/**
 * One endpoint is one agent of an account: buyers could not tell two apart. Throws `conflict` with the id of the agent
 * that has it. A path, a name that is not reached by HTTP and an address of the caller's own machine may be on any.
 */
export const refuseKnownEndpoint =
  ({ owner, endpoints }: AgentRecord): AgentCheck =>
  async (agents) => {
    const absolute = endpoints.filter(({ url }) => isWebUrl(url) && !isOwnMachine(url));
    const known = await agents.findByEndpoint(owner, absolute);
    if (!known) return;
    const { agentId, metadata } = known;
    throw new PaymentsError(
      "conflict",
      `Your agent “${metadata.name}” (${agentId}) already has one of these endpoints.`,
      { hint: `Edit that agent, or archive it first. Its ID is ${agentId}.` },
    );
  };

const isOwnMachine = (url: string) =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);

async function newAgent(
  context: Context,
  input: Pick<ParsedInputOf<"registerAgent">, "metadataAttributes" | "agentApiAttributes">,
  planIds: string[],
): Promise<AgentRecord> {
  await requireRoom(context, "agents");
  const now = await context.ports.clock.now();
  const agentId = context.ports.crypto.randomUint();
  return {
    agentId,
    owner: requireCaller(context).account,
    metadata: input.metadataAttributes,
    ...apiOf(context, agentId, input.agentApiAttributes),
    nonce: null,
    planIds,
    createdAt: now,
    updatedAt: now,
    archivedAt: null,
    domainProof: null,
    doctorRun: null,
    checkDueAt: null,
  };
}

/** A refusal of one member of the input, its paths as they are in the whole input. */
function beneath(member: string, cause: unknown): unknown {
  if (!PaymentsError.is(cause) || !cause.details) return cause;
  const details = cause.details.map(({ path, message }) => ({
    path: `${member}.${path}`,
    message,
  }));
  return new PaymentsError(cause.code, cause.message, { details });
}

const registered = (agentId: string) => ({ agentId, data: { agentId } });

const agentPage = (page: Page<AgentRecord>, query: PageQuery) => {
  const items = page.items.map(agentAnswer);
  return { ...pageAnswer({ ...page, items }, query), agents: items };
};

export const agentAnswer = (agent: AgentRecord): Agent => ({
  id: agent.agentId,
  agentId: agent.agentId,
  owner: agent.owner,
  metadata: {
    main: agent.metadata,
    agent: {
      endpoints: agent.endpoints.map(({ verb, url }) => ({ [verb]: url })),
      openEndpoints: agent.openEndpoints,
      ...(agent.definitionUrl && { agentDefinitionUrl: agent.definitionUrl }),
      authType: agent.authType,
    },
  },
  plans: agent.planIds,
  createdAt: agent.createdAt.toISOString(),
  updatedAt: agent.updatedAt.toISOString(),
  ...(agent.archivedAt && { archivedAt: agent.archivedAt.toISOString() }),
});
