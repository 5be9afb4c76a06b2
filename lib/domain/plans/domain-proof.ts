import { isWebUrl, type ParsedInputOf } from "@turnpike/payments/protocol";
import type { AgentDomain } from "@/lib/console/market-facts.ts";
import type { ConsoleOperations } from "@/lib/console/operations.ts";
import { type Context, requireCaller } from "../context.ts";
import type { DomainFinding, Ports } from "../ports.ts";
import type { AgentRecord, DomainProof } from "../records.ts";
import { getOwnAgent } from "./agents.ts";

type Input<K extends keyof ConsoleOperations> = ParsedInputOf<K, ConsoleOperations>;

const DAY_MS = 86_400_000;
/** How long a proof stands while its domain can't be asked. */
const GRACE_MS = 3 * DAY_MS;
const CHECKS_AT_ONCE = 20;

/** Where an agent's owner publishes the agent's id. */
export const PROOF_PATH = "/.well-known/turnpike-agents.json";
export const PROOF_LABEL = "_turnpike";
export const proofRecordOf = (agentId: string): string => `turnpike-agent=${agentId}`;

/** Whether the caller's agent has its domain proved, and what to publish to prove it. */
export async function getAgentDomain(
  context: Context,
  { agentId }: Input<"getAgentDomain">,
): Promise<AgentDomain> {
  return domainAnswer(await getOwnAgent(context, agentId));
}

/** Looks for the proof now. A domain that does not list this agent's own id proves nothing. */
export async function checkAgentDomain(
  context: Context,
  { agentId }: Input<"checkAgentDomain">,
): Promise<AgentDomain> {
  requireCaller(context);
  const agent = await getOwnAgent(context, agentId);
  const { proof, finding } = await checkDomain(context.ports, agent);
  const reason = finding && finding.kind !== "proved" ? finding.reason : undefined;
  return { ...domainAnswer({ ...agent, domainProof: proof }), ...(reason && { reason }) };
}

/** Checks the proofs that are older than a day again; how many there were. */
export async function recheckDomains(ports: Ports): Promise<number> {
  const before = new Date((await ports.clock.now()).getTime() - DAY_MS);
  const due = await ports.agents.dueDomainChecks(before, CHECKS_AT_ONCE);
  for (const agent of due) await checkDomain(ports, agent);
  return due.length;
}

/** The host that an agent's owner has proved, as everyone may see it; null without a proof that holds now. */
export function provedDomain(agent: Pick<AgentRecord, "domainProof" | "endpoints">) {
  const proof = currentProof(agent);
  if (!proof || proof.lostAt) return null;
  return { host: new URL(proof.origin).host, provedAt: proof.provedAt, seenAt: proof.seenAt };
}

async function checkDomain(ports: Ports, agent: AgentRecord) {
  const { agentId, owner: account } = agent;
  const now = (await ports.clock.now()).toISOString();
  const origin = originOf(agent);
  // A proof of a place the endpoints have left is not looked at again.
  const known = agent.domainProof && { ...agent.domainProof, checkedAt: now };
  const finding = origin && (await ports.findDomainProof({ account, agentId, origin }));
  const next = origin && finding && nextProof(currentProof(agent), { origin, finding, now });
  const proof = next || known;
  if (proof) await ports.agents.setDomainProof(agentId, proof);
  return { proof, finding };
}

/** The proof after a check. Only a certain answer, or days without any, end it. */
function nextProof(
  prior: DomainProof | null,
  { origin, finding, now }: { origin: string; finding: DomainFinding; now: string },
): DomainProof | null {
  if (finding.kind === "proved") {
    const provedAt = prior && !prior.lostAt ? prior.provedAt : now;
    return { origin, method: finding.method, provedAt, seenAt: now, checkedAt: now };
  }
  if (!prior) return null;
  const isOver = Date.parse(now) - Date.parse(prior.seenAt) > GRACE_MS;
  const isLost = finding.kind === "absent" || isOver;
  const lostAt = prior.lostAt ?? (isLost ? now : undefined);
  return { ...prior, checkedAt: now, reason: finding.reason, ...(lostAt && { lostAt }) };
}

/** The proof, if it is of where the endpoints are now. */
function currentProof(agent: Pick<AgentRecord, "domainProof" | "endpoints">): DomainProof | null {
  const { domainProof } = agent;
  return domainProof && domainProof.origin === originOf(agent) ? domainProof : null;
}

/** Scheme, host and port of all endpoints; null when they are on several hosts, or on none. */
function originOf({ endpoints }: Pick<AgentRecord, "endpoints">): string | null {
  // The origin of `mcp://…` is the text "null".
  const origins = new Set(endpoints.map(({ url }) => (isWebUrl(url) ? new URL(url).origin : null)));
  const [origin] = origins;
  return origins.size === 1 && origin ? origin : null;
}

function domainAnswer(agent: AgentRecord): AgentDomain {
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
  const proof = currentProof(agent);
  if (!proof) return { ...publish, state: "not-proved" };
  const { origin: _, ...seen } = proof;
  return { ...publish, state: proof.lostAt ? "lost" : "proved", ...seen };
}

/** Whether a host is a name of the DNS, and not an address or this machine. */
export const hasRecords = (hostname: string): boolean =>
  /[a-z]/i.test(hostname.replace(/^.*\./, "")) &&
  !hostname.startsWith("[") &&
  !/(^|\.)localhost$/i.test(hostname);
