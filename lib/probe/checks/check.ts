import {
  decodeHeader,
  readJson,
  readScheme,
  replaceUnseen,
  withOtherOffers,
  X402_HEADERS,
} from "@turnpike/payments/protocol";
import { isEarlierVersion } from "@/lib/playground/foreign-offer.ts";
import { textOf } from "@/lib/text/text-of.ts";
import { answerOf, type Exchange, headerOf } from "../exchange.ts";
import { isJson, type Json, listOf, member } from "../foreign-text.ts";
import type { Severity } from "../report/report.ts";
import type { PaidRecording } from "./paid-recording.ts";

/** A check's result: passed, failed with a reason, or skipped with a reason. */
export type Verdict =
  | { state: "pass"; sentence: string }
  | { state: "fail"; sentence: string; fix?: string; severity?: Severity }
  | { state: "skip"; sentence: string };

/** What the service knows about the ids in an envelope; `null` for ids that do not exist. */
export type Known = {
  plans: Readonly<Record<string, { isCrypto: boolean; name: string; isArchived?: boolean } | null>>;
  agents: Readonly<Record<string, { planIds: readonly string[] } | null>>;
  /** The network of each scheme on this deployment. */
  networks: Readonly<Record<string, string>>;
  schemeAliases: readonly string[];
};

/** Everything recorded about one endpoint. Exchanges other than `ask` are present if they were made. */
export type Recording = {
  verb: string;
  /** As registered, with its placeholders. */
  pattern: string;
  /** Without a token. */
  ask: Exchange;
  /** The agent this endpoint is registered for, if any. */
  agentId?: string;
  known: Known;
  /** The same request with a browser's Accept header. */
  html?: Exchange;
  preflight?: Exchange;
  /** The same request again within five seconds. */
  again?: Exchange;
  /** Times to the response headers of ten requests. */
  askMs?: readonly number[];
  /** A path below the endpoint's that no route can match. */
  unmatched?: Exchange;
  /** The same request with other placeholder values. */
  otherValues?: Exchange;
  /** Requests without a token to the open endpoints. */
  open?: readonly Exchange[];
  definition?: RecordedDefinition;
  /** The agent in the offer, if it does not have this endpoint. */
  notAnEndpointOf?: string;
  isStream?: boolean;
  /** Responses to tokens that cannot be charged. */
  refused?: readonly RefusedToken[];
  /** The paid calls, or why there were none. */
  paid?: PaidRecording;
  whyUnpaid?: string;
};

/** A token without a valid signature: malformed, or well-formed with one wrong detail. */
export type RefusedToken = {
  kind: "unparsable" | "forged";
  /** What is wrong with it, to follow "a token …". */
  what: string;
  exchange: Exchange;
};

export type RecordedDefinition = {
  url: string | null;
  /** The document's kind and size, or why it is unreadable. */
  label: string | null;
  fault: string | null;
  /** `VERB url` of each endpoint it describes. */
  described: readonly string[];
  /** `VERB url` of each paid endpoint registered. */
  paid: readonly string[];
  openUrls: readonly string[];
  seen?: Seen;
};

export type Check = {
  /** Stable: reports, fix prompts and tests refer to it. */
  id: `D${number}`;
  severity: Severity;
  title: string;
  /** The exchange it checks and how it was requested, if it is not the request without a token. */
  seen?(recording: Recording): Seen | null;
  run(recording: Recording): Verdict;
};

const named = (severity: Severity) => (id: Check["id"], title: string) => ({ id, severity, title });

export const error = named("error");
export const warning = named("warning");
export const info = named("info");

export type Seen = { exchange: Exchange; how: string };

/** A sentence may quote the agent, which must not change what a terminal or a page shows beside it. */
const visible = (sentence: string): string => replaceUnseen(sentence, " ");

export const pass = (sentence: string): Verdict => ({ state: "pass", sentence: visible(sentence) });
export const fault = (sentence: string, fix?: string): Verdict => ({
  state: "fail",
  sentence: visible(sentence),
  ...(fix && { fix }),
});
/** A fault that may be meant so: a warning, also of a check whose faults are errors. */
export const caution = (sentence: string, fix: string): Verdict => ({
  ...{ state: "fail", sentence: visible(sentence), fix },
  severity: "warning",
});
export const skip = (sentence: string): Verdict => ({ state: "skip", sentence: visible(sentence) });

export const offerHeader = (exchange: Exchange): string | null =>
  headerOf(exchange, X402_HEADERS.PAYMENT_REQUIRED);

/** The JSON in the 402's header, where version 1 and MCP have it in the body, unchecked, or null. */
export function envelopeOf(exchange: Exchange): Json | null {
  const header = offerHeader(exchange);
  const decoded =
    header === null ? bodyOffer(exchange) : withOtherOffers(decodeHeader(header), jsonOf(exchange));
  return isJson(decoded) ? decoded : null;
}

/** The requirement of version 1 in a 402's body, or of any version in the result of an MCP tool. */
function bodyOffer(exchange: Exchange): unknown {
  const body = jsonOf(exchange);
  if (isEarlierVersion(body)) return body;
  const inTool = member(member(body, "result"), "structuredContent");
  const inError = member(member(body, "error"), "data");
  return [inTool, inError].find((document) => Array.isArray(member(document, "accepts"))) ?? null;
}

/** Whether the answer is one of JSON-RPC, as an MCP server's; also as the first event of a stream. */
export const isJsonRpc = (exchange: Exchange): boolean =>
  member(jsonOf(exchange), "jsonrpc") === "2.0";

function jsonOf(exchange: Exchange): unknown {
  const text = answerOf(exchange)?.text ?? "";
  const [, event = text] = /^data: ?(\{.*\})$/m.exec(text) ?? [];
  return readJson(event);
}

export const isEarlier = isEarlierVersion;

/** The offers of plans; others are paid directly, by the rules of their own scheme. */
export const planOffersOf = (envelope: Json, { schemeAliases }: Known): Json[] =>
  isEarlier(envelope)
    ? []
    : offersOf(envelope).filter(
        (offer) => readScheme(textOf(offer.scheme), schemeAliases) !== null,
      );

/** The offers of an envelope, in camelCase or snake_case. */
export const offersOf = (envelope: unknown): Json[] =>
  listOf(member(envelope, "accepts")).filter(isJson);

/** A member under its camelCase name, or the specification's snake_case one. */
export function either(value: unknown, camel: string): unknown {
  const snake = camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return member(value, camel) ?? member(value, snake);
}

export const planIdIn = (offer: Json): string | null => {
  const id = either(offer, "planId") ?? either(offer.extra, "planId");
  return typeof id === "string" ? id : null;
};

export const agentIdIn = (offer: Json): string | null => {
  const id = either(offer.extra, "agentId");
  return typeof id === "string" ? id : null;
};

/** Runs `work` if the endpoint required payment; D02 reports anything else. */
export const onAsked =
  (work: (recording: Recording) => Verdict) =>
  (recording: Recording): Verdict =>
    answerOf(recording.ask)?.status === 402
      ? work(recording)
      : skip("The endpoint did not require payment (D02).");

/** Runs `work` if the 402's envelope is readable; D03 reports the rest. */
export const onEnvelope =
  (work: (envelope: Json, recording: Recording) => Verdict) =>
  (recording: Recording): Verdict => {
    const envelope = envelopeOf(recording.ask);
    const read = envelope
      ? () => work(envelope, recording)
      : () => skip("The offer is unreadable (D03).");
    return envelope && isJsonRpc(recording.ask) ? read() : onAsked(read)(recording);
  };
