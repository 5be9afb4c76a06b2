import { isWebUrl } from "@turnpike/payments/protocol";
import type { AgentDomain } from "@/lib/console/market-facts.ts";
import { requireCaller } from "../context.ts";
import { eachAlone } from "../each-alone.ts";
import type { DomainFinding, Ports } from "../ports.ts";
import type { AgentRecord, DomainProof } from "../records.ts";
import type { Verb } from "../verb.ts";
import { getOwnAgent } from "./agents.ts";
import { untilWritten } from "./edit.ts";

const DAY_MS = 86_400_000;
/** How long a proof holds after it was last seen. */
const GRACE_MS = 3 * DAY_MS;
const CHECKS_AT_ONCE = 20;

/** Where an agent's owner publishes the agent's id. */
export const PROOF_PATH = "/.well-known/turnpike-agents.json";
export const PROOF_LABEL = "_turnpike";
export const proofRecordOf = (agentId: string): string => `turnpike-agent=${agentId}`;

/** Whether the caller's agent has its domain proved, and what to publish to prove it. */
export const getAgentDomain: Verb<"getAgentDomain"> = async (context, { agentId }) => {
  return domainAnswer(await getOwnAgent(context, agentId), await context.ports.clock.now());
};

/** Looks for the proof now. A domain that does not list this agent's own id proves nothing. */
export const checkAgentDomain: Verb<"checkAgentDomain"> = async (context, { agentId }) => {
  requireCaller(context);
  return untilWritten(async () => {
    const agent = await getOwnAgent(context, agentId);
    const checked = await checkDomain(context.ports, agent);
    if (!checked) return null;
    const { proof, finding, now } = checked;
    const reason = finding && finding.kind !== "proved" ? finding.reason : undefined;
    return { ...domainAnswer({ ...agent, domainProof: proof }, now), ...(reason && { reason }) };
  });
};

/** Checks the proofs that are older than a day again; how many it could. Those that failed are listed again, so they wait for the next round. */
export async function recheckDomains(ports: Ports): Promise<number> {
  const before = new Date((await ports.clock.now()).getTime() - DAY_MS);
  const items = await ports.agents.dueDomainChecks(before, CHECKS_AT_ONCE);
  const facts = ({ agentId }: AgentRecord) => ({ agentId });
  // At once: hosts that never answer take seconds each, and those behind them would lose their proofs.
  const each = { items, says: "domain not checked", facts, atOnce: CHECKS_AT_ONCE };
  return eachAlone(ports, each, (agent) => checkDomain(ports, agent));
}

/** The host that an agent's owner has proved, as everyone may see it; null without a proof that holds now. */
export function provedDomain(agent: Pick<AgentRecord, "domainProof" | "endpoints">, now: Date) {
  const proof = currentProof(agent, now);
  if (!proof || proof.lostAt) return null;
  return { host: new URL(proof.origin).host, provedAt: proof.provedAt, seenAt: proof.seenAt };
}

/** Null when another look at the domain was written meanwhile. */
async function checkDomain(ports: Ports, agent: AgentRecord) {
  const { agentId, owner: account } = agent;
  const now = await ports.clock.now();
  const origin = originOf(agent);
  // A proof of a place the endpoints have left is not looked at again; one that was lost there is dropped.
  const left = agent.domainProof?.lostAt ? null : agent.domainProof;
  const known = left && { ...left, checkedAt: now.toISOString() };
  const finding = origin && (await ports.findDomainProof({ account, agentId, origin }));
  const next = origin && finding && nextProof(currentProof(agent, now), { origin, finding, now });
  const proof = next || known;
  const read = agent.domainProof;
  const isWritten = (!proof && !read) || (await ports.agents.setDomainProof(agentId, proof, read));
  return isWritten ? { proof, finding, now } : null;
}

/** The proof after a check. Only a certain answer, or days without any, end it. */
function nextProof(
  prior: DomainProof | null,
  { origin, finding, now }: { origin: string; finding: DomainFinding; now: Date },
): DomainProof | null {
  const checkedAt = now.toISOString();
  if (finding.kind === "proved") {
    const provedAt = prior && !prior.lostAt ? prior.provedAt : checkedAt;
    return { origin, method: finding.method, provedAt, seenAt: checkedAt, checkedAt };
  }
  if (!prior) return null;
  const lostAt = prior.lostAt ?? (finding.kind === "absent" ? checkedAt : undefined);
  return { ...prior, checkedAt, reason: finding.reason, ...(lostAt && { lostAt }) };
}

/**
 * The proof, if it is of where the endpoints are now. One that was not seen for days is lost, whatever was checked
 * meanwhile: the endpoints may have been elsewhere.
 */
function currentProof(
  agent: Pick<AgentRecord, "domainProof" | "endpoints">,
  now: Date,
): DomainProof | null {
  const { domainProof: proof } = agent;
  if (proof?.origin !== originOf(agent)) return null;
  const endsAt = new Date(Date.parse(proof.seenAt) + GRACE_MS);
  if (proof.lostAt || now <= endsAt) return proof;
  const { reason = "It was not found for three days." } = proof;
  return { ...proof, reason, lostAt: endsAt.toISOString() };
}

/** Scheme, host and port of all endpoints; null when they are on several hosts, or on none. */
function originOf({ endpoints }: Pick<AgentRecord, "endpoints">): string | null {
  // The origin of `mcp://…` is the text "null".
  const origins = new Set(endpoints.map(({ url }) => (isWebUrl(url) ? new URL(url).origin : null)));
  const [origin] = origins;
  return origins.size === 1 && origin ? origin : null;
}

function domainAnswer(agent: AgentRecord, now: Date): AgentDomain {
  const origin = originOf(agent);
  if (!origin) {
    const reason =
      "All endpoints must be full URLs on one host. Register an agent for each host, then prove each.";
    return { state: "not-proved", reason };
  }
  const { host, hostname } = new URL(origin);
  const publish = {
    host,
    file: {
      url: `${origin}${PROOF_PATH}`,
      content: JSON.stringify({ agents: [agent.agentId] }, null, 2),
    },
    ...(hasRecords(hostname) && {
      record: { name: `${PROOF_LABEL}.${hostname}`, value: proofRecordOf(agent.agentId) },
    }),
  };
  const proof = currentProof(agent, now);
  if (!proof) return { ...publish, state: "not-proved" };
  const { origin: _, ...seen } = proof;
  return { ...publish, state: proof.lostAt ? "lost" : "proved", ...seen };
}

/** Whether a host is a name of the DNS, and not an address or this machine. */
export const hasRecords = (hostname: string): boolean =>
  /[a-z]/i.test(hostname.replace(/^.*\./, "")) &&
  !hostname.startsWith("[") &&
  !/(^|\.)localhost$/i.test(hostname);
