import "server-only";
import { readJson } from "@turnpike/payments/protocol";
import type { Outbound, RefusalCode } from "@/lib/domain/outbound-ports.ts";
import {
  hasRecords,
  PROOF_LABEL,
  PROOF_PATH,
  proofRecordOf,
} from "@/lib/domain/plans/domain-proof.ts";
import type { DomainFinding, FindDomainProof } from "@/lib/domain/ports.ts";
import { type Answered, type Exchange, recordExchange } from "./exchange.ts";
import { member } from "./foreign-text.ts";

const WAIT_MS = 10_000;
const MAX_BYTES = 64 * 1024;
/** Refusals that a later check may not meet. */
const PASSING: readonly RefusalCode[] = ["too_many"];

type Parts = {
  outbound: Outbound;
  /** The TXT records of a name; rejects when the DNS can't say. */
  readTxt: (name: string) => Promise<string[]>;
};

/**
 * Looks for an agent's id where only the owner of its domain can write: the well-known file first, then the DNS. The file
 * is read through the guard, a redirect is not followed, and what could not be asked is unknown.
 */
export const createDomainProofs =
  ({ outbound, readTxt }: Parts): FindDomainProof =>
  async ({ account, agentId, origin }) => {
    const url = `${origin}${PROOF_PATH}`;
    const asking = { account, method: "GET", url, totalMs: WAIT_MS, maxBytes: MAX_BYTES };
    const file = readFile(await recordExchange(outbound, asking), agentId);
    const { hostname } = new URL(origin);
    if (file.kind === "proved" || !hasRecords(hostname)) return file;
    const name = `${PROOF_LABEL}.${hostname.replace(/\.$/, "")}`;
    const record = await readRecord(readTxt, name, proofRecordOf(agentId));
    if (record.kind === "proved") return record;
    const isUnknown = file.kind === "unknown" || record.kind === "unknown";
    return {
      kind: isUnknown ? "unknown" : "absent",
      reason: `${file.reason} ${record.reason}`,
    };
  };

function readFile({ url, outcome }: Exchange, agentId: string): DomainFinding {
  if (outcome.kind === "answered") return readAnswer(url, outcome, agentId);
  const isCertain = outcome.kind === "refused" && !PASSING.includes(outcome.code as RefusalCode);
  return { kind: isCertain ? "absent" : "unknown", reason: `${url}: ${outcome.message}` };
}

function readAnswer(url: string, answer: Answered, agentId: string): DomainFinding {
  const { status, text, cut } = answer;
  if (status >= 500 || status === 429) {
    return { kind: "unknown", reason: `${url} answered ${status}. Try again.` };
  }
  const absent = (reason: string): DomainFinding => ({ kind: "absent", reason });
  if (status >= 300 && status < 400) {
    return absent(`${url} redirects. Serve the file at this address itself.`);
  }
  if (status !== 200) return absent(`${url} answered ${status}. Publish the file there.`);
  if (cut) {
    return cut.code === "too_large"
      ? absent(`${url} is larger than 64 KiB.`)
      : { kind: "unknown", reason: `${url}: ${cut.message}` };
  }
  const ids = idsOf(text);
  if (!ids) {
    return absent(`${url} is not a JSON object with a list "agents" of agent IDs as texts.`);
  }
  if (ids.includes(agentId)) return { kind: "proved", method: "file" };
  return absent(`${url} does not list this agent’s ID. Add it to "agents".`);
}

/** The ids in a file; null when it is not one of ours. */
function idsOf(text: string): string[] | null {
  const agents = member(readJson(text), "agents");
  // A number of this size would have lost its last digits.
  return Array.isArray(agents) && agents.every((id) => typeof id === "string") ? agents : null;
}

async function readRecord(
  readTxt: Parts["readTxt"],
  name: string,
  wanted: string,
): Promise<DomainFinding> {
  try {
    const records = await readTxt(name);
    if (records.some((record) => record.trim() === wanted))
      return { kind: "proved", method: "dns" };
    return {
      kind: "absent",
      reason:
        records.length === 0
          ? `There is no TXT record at ${name} either.`
          : `The TXT record at ${name} does not have this agent’s ID either.`,
    };
  } catch {
    return { kind: "unknown", reason: `The TXT record at ${name} could not be read.` };
  }
}
