import { decodeHeader, X402_HEADERS } from "@turnpike/payments/protocol";
import { answerOf, type Exchange, headerOf } from "../exchange.ts";
import { isJson, type Json, listOf, member } from "../foreign-text.ts";
import type { Severity } from "../report/report.ts";
import type { PaidRecording } from "./paid-recording.ts";

/** What a check says: it holds, it does not and why, or why nothing was recorded that it could judge. */
export type Verdict =
  | { state: "pass"; sentence: string }
  | { state: "fail"; sentence: string; fix?: string }
  | { state: "skip"; sentence: string };

/** What the service knows of the ids an envelope names. `null` stands for what does not exist. */
export type Known = {
  plans: Readonly<Record<string, { isCrypto: boolean; name: string } | null>>;
  agents: Readonly<Record<string, { planIds: readonly string[] } | null>>;
  /** The network of each scheme on this deployment. */
  networks: Readonly<Record<string, string>>;
  schemeAliases: readonly string[];
};

/** Everything that was recorded about one endpoint; the exchanges beyond `ask` are there when they were made. */
export type Recording = {
  verb: string;
  /** As registered, with its placeholders. */
  pattern: string;
  /** Without a token. */
  ask: Exchange;
  /** The agent this endpoint is registered under, when it is. */
  agentId?: string;
  known: Known;
  /** The same, as a browser's address bar would ask. */
  html?: Exchange;
  preflight?: Exchange;
  /** The same once more, within five seconds. */
  again?: Exchange;
  /** Times to the head of ten answers. */
  askMs?: readonly number[];
  /** A path below the endpoint's that no route can match. */
  unmatched?: Exchange;
  /** The same with other values for its placeholders. */
  otherValues?: Exchange;
  /** Endpoints that are to be open, each asked without a token. */
  open?: readonly Exchange[];
  definition?: RecordedDefinition;
  isStream?: boolean;
  /** Answers to tokens that cannot be charged. */
  refused?: readonly RefusedToken[];
  /** What paid calls did; or why there were none. */
  paid?: PaidRecording;
  whyUnpaid?: string;
};

/** A token nobody signed: one that is no token at all, or a whole one that is wrong in one respect. */
export type RefusedToken = {
  kind: "unparsable" | "forged";
  /** What is wrong with it, to follow "a token". */
  what: string;
  exchange: Exchange;
};

export type RecordedDefinition = {
  url: string | null;
  /** The document's own word for itself, or why it could not be read. */
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
  /** Stable: reports, fix prompts and tests name it. */
  id: `D${number}`;
  severity: Severity;
  title: string;
  /** The exchange it looks at and how that one was asked, where it is not the one without a token. */
  seen?(recording: Recording): Seen | null;
  run(recording: Recording): Verdict;
};

export type Seen = { exchange: Exchange; how: string };

export const pass = (sentence: string): Verdict => ({ state: "pass", sentence });
export const fault = (sentence: string, fix?: string): Verdict => ({
  state: "fail",
  sentence,
  ...(fix && { fix }),
});
export const skip = (sentence: string): Verdict => ({ state: "skip", sentence });

/** The 402's header as it came, or null. */
export const offerHeader = (exchange: Exchange): string | null =>
  headerOf(exchange, X402_HEADERS.PAYMENT_REQUIRED);

/** The JSON in the 402's header, whatever it is, or null. */
export function envelopeOf(exchange: Exchange): Json | null {
  const header = offerHeader(exchange);
  const decoded = header === null ? null : decodeHeader(header);
  return isJson(decoded) ? decoded : null;
}

/** The offers of an envelope, in either spelling of their members. */
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

/** Runs `work` for an endpoint that asked for payment; any other answer is D02's to judge. */
export const onAsked =
  (work: (recording: Recording) => Verdict) =>
  (recording: Recording): Verdict =>
    answerOf(recording.ask)?.status === 402
      ? work(recording)
      : skip("It did not ask for payment (D02).");

/** Runs `work` for a 402 whose envelope can be read; what cannot is D03's to judge. */
export const onEnvelope = (work: (envelope: Json, recording: Recording) => Verdict) =>
  onAsked((recording) => {
    const envelope = envelopeOf(recording.ask);
    return envelope ? work(envelope, recording) : skip("The offer cannot be read (D03).");
  });
