import type { Question } from "../decide.ts";
import {
  type Case,
  caseOf,
  delegation,
  isOfHold,
  isOwnHold,
  type Reading,
  type Rule,
  refuse,
  reject,
  replay,
  token,
} from "./second-case.ts";
import { fitsEndpoint, samePath } from "./second-paths.ts";
import { FUNDS } from "./second-reading-funds.ts";

const isToBeProven = ({ standing, intent, isPayer }: Case) =>
  !(intent === "settle" && standing !== null) && !(intent === "check" && isPayer);
const now = ({ question }: Case) => question.facts.now.getTime();

/** Verify and settle up to the agent, in the order of the documents. */
const PERMISSION: readonly Rule[] = [
  {
    section: "9",
    says: "settle, the same again: the first answer, whatever the token has become since",
    applies: ({ intent, question: { facts, fingerprint } }) =>
      intent === "settle" && facts.settlement?.fingerprint === fingerprint,
    answer: replay,
  },
  {
    section: "13",
    says: "settleRequest is the request's one settlement: the gate's own settle of it answers the same",
    applies: (of) =>
      of.intent === "settle" &&
      of.question.facts.settlement?.fingerprint === "by-record" &&
      isOwnHold(of),
    answer: replay,
  },
  {
    section: "9",
    says: "settle, another body: 409 idempotency_conflict",
    applies: ({ intent, question: { facts } }) => intent === "settle" && facts.settlement !== null,
    answer: reject("idempotency_conflict"),
  },
  {
    section: "7",
    says: "A released request can no longer be settled (409 conflict)",
    applies: ({ intent, question: { facts } }) =>
      intent === "settle" && facts.hold?.state === "released",
    answer: reject("conflict"),
  },
  {
    section: "6.2",
    says: "Token not sound: invalid_token",
    applies: ({ question: { inspected } }) => !inspected.isSound,
    answer: (of) => {
      const { inspected } = of.question;
      return refuse(inspected.isSound ? "malformed" : inspected.detail)(of);
    },
  },
  {
    section: "6.2",
    says: "not known: invalid_token",
    applies: (of) => token(of) === null || delegation(of) === null,
    answer: refuse("unknown_token"),
  },
  {
    section: "4",
    says: "its delegation's session key is the signer",
    applies: (of) => {
      const { inspected } = of.question;
      return inspected.isSound && delegation(of)?.sessionKeyAddress !== inspected.signer;
    },
    answer: refuse("other_session_key"),
  },
  {
    section: "4",
    says: "its account and plan are the token's",
    applies: (of) =>
      token(of)?.account !== of.document.authorization.from ||
      token(of)?.planId !== of.document.authorization.planId,
    answer: refuse("unknown_token"),
  },
  {
    section: "6.3",
    says: "Token revoked: invalid_token. Skipped when this request's hold stands, and for a reservation that its own hold answers",
    applies: (of) => !isOfHold(of) && token(of)?.isRevoked === true,
    answer: refuse("token_revoked"),
  },
  {
    section: "6.3",
    says: "Delegation revoked: invalid_token",
    applies: (of) => !isOfHold(of) && delegation(of)?.isRevoked === true,
    answer: refuse("delegation_revoked"),
  },
  {
    section: "6.3, 12",
    says: "Token over: expired_token; at the instant of exp it is expired",
    applies: (of) => !isOfHold(of) && now(of) >= (token(of)?.expiresAt.getTime() ?? 0),
    answer: refuse("token_expired"),
  },
  {
    section: "6.3",
    says: "Delegation over: expired_token",
    applies: (of) => !isOfHold(of) && now(of) >= (delegation(of)?.expiresAt.getTime() ?? 0),
    answer: refuse("delegation_expired"),
  },
  {
    section: "6, Sender-constrained tokens",
    says: "Without a signature the cause is not_signed; settle needs no proof while the hold stands, nor does the payer's own verify",
    applies: (of) => isToBeProven(of) && of.question.holder === "unsigned",
    answer: refuse("not_signed"),
  },
  {
    section: "6, Sender-constrained tokens",
    says: "with one that does not fit key_mismatch",
    applies: (of) => isToBeProven(of) && of.question.holder === "mismatch",
    answer: refuse("key_mismatch"),
  },
  {
    section: "6.4",
    says: "Plan unknown: invalid_plan",
    applies: ({ question: { facts } }) => facts.plan === null,
    answer: refuse("unknown_plan"),
  },
  {
    section: "6.4",
    says: "not the caller's to redeem; the payer may verify its own token without reserve",
    applies: ({ mayRedeem, isPayer, intent }) => !mayRedeem && !(isPayer && intent === "check"),
    answer: refuse("not_your_plan"),
  },
  {
    section: "9",
    says: "verify with reserve, begun by this token and no longer reserved: 409, whatever the offer and the plan are now",
    applies: (of) => {
      const { intent, standing, question } = of;
      const isReleased = question.facts.hold?.state === "released";
      return intent === "reserve" && standing === null && isOwnHold(of) && !isReleased;
    },
    answer: reject("idempotency_conflict"),
  },
  {
    section: "6, Sender-constrained tokens",
    says: "A plan with holderRequired takes no bearer tokens, but what is reserved",
    applies: ({ standing, plan, question: { holder } }) =>
      standing === null && plan.holderRequired && holder === "bearer",
    answer: refuse("holder_required"),
  },
  {
    section: "10",
    says: "rail_unavailable: no rail for this scheme on this deployment",
    applies: ({ rail }) => rail === undefined,
    answer: () => ({ kind: "throw", code: "rail_unavailable" }),
  },
  {
    section: "6.4",
    says: "not offered: invalid_plan. Only an offer on the plan's scheme counts",
    applies: ({ offer }) => offer === undefined,
    answer: refuse("plan_not_offered"),
  },
  {
    section: "6.4",
    says: "its scheme another: the offer that the token answers is on another scheme",
    applies: ({ signedScheme, rail }) => signedScheme !== rail?.scheme,
    answer: refuse("scheme_changed"),
  },
  {
    section: "6.4, 5",
    says: "its network another; only a scheme and a plan id are needed; stripe and card:processor are card-processor",
    applies: ({ offer, rail }) =>
      offer?.network !== undefined &&
      offer.network.replace(/^(stripe|card:processor)$/, "card-processor") !== rail?.network,
    answer: refuse("other_network"),
  },
  {
    section: "6, Agent",
    says: "a token made for an agent is for no other",
    applies: ({ agentId, document: { authorization } }) =>
      Boolean(authorization.agentId) && authorization.agentId !== agentId,
    answer: refuse("other_agent"),
  },
  {
    section: "6, Agent",
    says: "a bound httpVerb is the offer's",
    applies: ({ verb, document: { authorization } }) =>
      authorization.httpVerb !== undefined &&
      authorization.httpVerb.toUpperCase() !== verb?.toUpperCase(),
    answer: refuse("other_verb"),
  },
  {
    section: "6, Agent",
    says: "a bound resource compares by path; without a URL it is refused",
    applies: ({ url, document: { authorization } }) =>
      authorization.resource !== undefined && !samePath(authorization.resource, url),
    answer: refuse("other_resource"),
  },
  {
    section: "6, Agent",
    says: "agent unknown; it must belong to the plan's owner",
    applies: ({ agentId, plan, question: { facts } }) =>
      agentId !== undefined && facts.agent?.owner !== plan.owner,
    answer: refuse("unknown_agent"),
  },
  {
    section: "6, Agent",
    says: "and be paid for by the plan. A reserved request was checked when it began",
    applies: ({ agentId, standing, question: { facts } }) =>
      standing === null && agentId !== undefined && facts.agent?.isLinked !== true,
    answer: refuse("plan_not_linked"),
  },
  {
    section: "6, Agent",
    says: "When the agent has endpoints, verb and path must fit one of them; without a URL the verb alone; not in another brand's spelling",
    applies: ({ agentId, standing, url, verb, offer, question: { facts } }) => {
      const endpoints = facts.agent?.endpoints ?? [];
      if (standing !== null || agentId === undefined || endpoints.length === 0) return false;
      if (offer?.scheme.startsWith("nvm:")) return false;
      return !endpoints.some((endpoint) => fitsEndpoint(endpoint, verb, url));
    },
    answer: refuse("endpoint_not_registered"),
  },
];

const RULES = [...PERMISSION, ...FUNDS];

/**
 * A second reading of verify and settle, written from the documents and not from `decide`: a list of rules in the order
 * of section 6, each with its sentence. The first one that applies answers.
 *
 * @example secondReading(question).kind
 */
export function secondReading(question: Question): Reading {
  const of = caseOf(question);
  const rule = RULES.find(({ applies }) => applies(of));
  if (!rule) throw new Error("No rule answers this question.");
  return rule.answer(of);
}
