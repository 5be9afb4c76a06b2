import { canParseUrl, readJson } from "@turnpike/payments/protocol";
import { MONEY_DECIMALS } from "@/lib/console/currency-decimals.ts";
import { DEFAULT_LIMIT_SECS, type HeaderLine } from "@/lib/playground/exchange.ts";
import { isRemoved } from "@/lib/playground/redact.ts";
import type { Run, RunInput, TokenChoice } from "@/lib/playground/run.ts";
import { plural } from "@/lib/text/plural.ts";
import { readMoney } from "../../ui/values/money-reading.ts";
import { typedAmount } from "../../ui/values/money-text.ts";

export type RequestDraft = {
  method: string;
  url: string;
  body: string;
  /** One header per line: `name: value`. */
  headers: string;
  auth: { kind: "none" | "basic" | "bearer"; user: string; secret: string };
  token: TokenChoice;
  from: "server" | "browser" | "both";
  planId: string;
  scheme: string;
  maxCredits: string;
  /** The most a run may pay by `exact`, in dollars. */
  maxDollars: string;
  /** How long each request may take. */
  limitSecs: number;
};

/** The id of the form that the draft is typed in. */
export const REQUEST_FORM = "pg-request";

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] as const;

export const EMPTY_DRAFT: RequestDraft = {
  method: "POST",
  url: "",
  body: "{}",
  headers: "",
  auth: { kind: "none", user: "", secret: "" },
  token: { kind: "mint" },
  from: "server",
  planId: "",
  scheme: "",
  maxCredits: "",
  maxDollars: "",
  limitSecs: DEFAULT_LIMIT_SECS,
};

export const limitText = (secs: number): string =>
  secs < 60 ? `${secs} seconds` : plural(secs / 60, "minute");

export type DraftErrors = Partial<
  Record<"url" | "headers" | "body" | "maxCredits" | "maxDollars" | "token", string>
>;

/** Reads the typed request as a run's input, or returns an error per field. */
export function readDraft(draft: RequestDraft): { input: RunInput } | { errors: DraftErrors } {
  const errors: DraftErrors = {};
  const url = draft.url.trim();
  if (!url) errors.url = "Enter the URL of an agent’s endpoint.";
  else if (!canParseUrl(url) || !/^https?:$/.test(new URL(url).protocol)) {
    errors.url = "Enter a full URL that starts with https:// or http://.";
  }
  const headers = readHeaders(draft.headers);
  if (typeof headers === "string") errors.headers = headers;
  const hasBody = draft.method !== "GET" && draft.method !== "HEAD";
  const body = hasBody && draft.body !== "" ? draft.body : null;
  const lines = typeof headers === "string" ? [] : [...headers, ...loginOf(draft.auth)];
  if (body !== null && !lines.some(([name]) => name.toLowerCase() === "content-type")) {
    lines.push(["content-type", isJson(body) ? "application/json" : "text/plain"]);
  }
  if (body !== null && isJsonType(lines) && !isJson(body)) {
    errors.body = "The body is not valid JSON. Fix it, or set another content-type.";
  }
  if (draft.maxCredits !== "" && !/^\d{1,30}$/.test(draft.maxCredits)) {
    errors.maxCredits = "Enter a whole number of credits.";
  }
  const { maxDollars, fault } = readDollars(draft.maxDollars);
  if (fault) errors.maxDollars = fault;
  if (draft.token.kind === "paste" && draft.token.token.trim() === "") {
    errors.token = "Paste an access token, or choose another option.";
  }
  if (Object.keys(errors).length > 0) return { errors };
  return {
    input: {
      method: draft.method,
      url,
      headers: lines,
      body,
      token: draft.token,
      ...(draft.planId && { planId: draft.planId }),
      ...(draft.scheme && { scheme: draft.scheme }),
      ...(draft.maxCredits !== "" && { maxCredits: draft.maxCredits }),
      ...(maxDollars && { maxDollars }),
      ...(draft.limitSecs !== DEFAULT_LIMIT_SECS && { limitSecs: draft.limitSecs }),
    },
  };
}

/** The most that a run may pay as a run has it, with a point. */
function readDollars(text: string): { maxDollars?: string; fault?: string } {
  if (text === "") return {};
  const reading = readMoney(text, MONEY_DECIMALS);
  if (!reading.isAmount) return { fault: reading.fault };
  if (reading.amount >= A_MILLION) return { fault: "Enter less than 1,000,000 USDC." };
  return { maxDollars: typedAmount(reading.amount, MONEY_DECIMALS) };
}

const A_MILLION = 10n ** 12n;

const isJson = (text: string) => readJson(text) !== undefined;
const isJsonType = (lines: readonly HeaderLine[]) =>
  lines.some(([name, value]) => name.toLowerCase() === "content-type" && /\bjson\b/i.test(value));

/** Header lines, or the error of the first invalid one. */
function readHeaders(text: string): HeaderLine[] | string {
  const lines: HeaderLine[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      return `“${line.trim()}” is not a valid header. Use name: value.`;
    }
    lines.push([name, value]);
  }
  return lines;
}

function loginOf({ kind, user, secret }: RequestDraft["auth"]): HeaderLine[] {
  if (kind === "bearer" && secret) return [["authorization", `Bearer ${secret}`]];
  if (kind !== "basic" || !user) return [];
  const bytes = new TextEncoder().encode(`${user}:${secret}`);
  return [["authorization", `Basic ${btoa(String.fromCodePoint(...bytes))}`]];
}

/** The request of a run, to be edited. Secrets were not kept, so they are missing. */
export function draftOf(input: RunInput): Partial<RequestDraft> {
  const { method, url, headers, body, token } = input;
  const { planId = "", scheme = "", maxCredits = "", maxDollars = "" } = input;
  const { limitSecs = DEFAULT_LIMIT_SECS } = input;
  const kept = headers.filter(([, value]) => !isRemoved(value));
  return {
    method,
    url,
    body: body ?? "",
    headers: kept.map(([name, value]) => `${name}: ${value}`).join("\n"),
    auth: EMPTY_DRAFT.auth,
    token,
    planId,
    scheme,
    maxCredits,
    maxDollars,
    limitSecs,
  };
}

/** Whether a kept run can continue at the step that pays: its request is known whole, and its 402 too. */
export function canContinue({ input, steps }: Run): boolean {
  const isWhole = !isRemoved(input.url) && !input.headers.some(([, value]) => isRemoved(value));
  return isWhole && steps.some(({ outcome, exchange }) => outcome === "challenged" && exchange);
}
