import { type ErrorDetail, type Operation, PaymentsError } from "@turnpike/payments/protocol";
import type * as z from "zod";
import type { Log } from "@/lib/domain/ports.ts";

const MAX_DEPTH = 32;

/** A JSON object from a request's body; empty text is an empty object. Throws `invalid_input` for the rest. */
export function readBody(text: string, maxLength: number): Record<string, unknown> {
  if (text.length > maxLength) throw tooLarge(maxLength);
  if (text.trim() === "") return {};
  const body = parseJson(text);
  if (typeof body === "object" && body !== null && !Array.isArray(body)) {
    return body as Record<string, unknown>;
  }
  throw invalid("", "Expected a JSON object.");
}

/**
 * The text of a request's body. Throws `payload_too_large` as soon as more than `maxBytes` have come, and
 * `invalid_input` when the client leaves before the end.
 */
export async function readText(
  request: Request,
  { maxBytes, log }: { maxBytes: number; log: Log },
): Promise<string> {
  const declared = request.headers.get("content-length");
  if (Number(declared ?? 0) > maxBytes) throw tooLarge(maxBytes);
  try {
    // HTTP reads no more than the length that a request declares.
    return await (declared === null ? countText(request, maxBytes) : request.text());
  } catch (cause) {
    throw PaymentsError.is(cause) ? cause : cutOff(cause, log);
  }
}

/** The error of a body that its client did not send to the end. */
export function cutOff(cause: unknown, log: Log): PaymentsError {
  log.info({ cause: String(cause) }, "the client left before the end of its request");
  return new PaymentsError("invalid_input", "The request was cut off.", { cause });
}

async function countText({ body }: Request, maxBytes: number): Promise<string> {
  if (!body) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    text += decoder.decode(value, { stream: true });
  }
}

export const tooLarge = (maxLength: number): PaymentsError =>
  new PaymentsError(
    "payload_too_large",
    `The request is larger than ${Math.floor(maxLength / 1024)} KB.`,
  );

type MostInput = Pick<Operation, "maxInput" | "maxMembers">;

/** Throws `payload_too_large` when the texts and names of an input are longer than that in all, or its members are more. */
export function checkSize(given: unknown, { maxInput, maxMembers = maxInput }: MostInput): void {
  let members = 0;
  // What is nested deeper is refused by `checkStorable`.
  const lengthOf = (value: unknown, depth: number): number => {
    if (typeof value === "string") return value.length;
    if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return 1;
    const keys = Object.keys(value);
    members += keys.length;
    if (members > maxMembers) throw tooMany(maxMembers);
    let length = 0;
    for (const key of keys) length += key.length + lengthOf(value[key as keyof object], depth + 1);
    return length;
  };
  if (lengthOf(given, 0) > maxInput) throw tooLarge(maxInput);
}

const tooMany = (maxMembers: number): PaymentsError =>
  new PaymentsError(
    "payload_too_large",
    `The request has more than ${maxMembers.toLocaleString("en-US")} members.`,
  );

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The first byte of gzip.
    if (text.startsWith("\u001f"))
      throw invalid("", "The body is compressed. Send it without Content-Encoding.");
    throw new PaymentsError("invalid_input", "The body is not JSON.", {
      details: [{ path: "", message: String((cause as Error).message) }],
    });
  }
}

/** Rejects what no database column can hold: NUL characters, half surrogate pairs, too deep nesting. */
export function checkStorable(value: unknown, path = "", depth = 0): void {
  if (typeof value === "string") checkText(value, path);
  if (typeof value !== "object" || value === null) return;
  if (depth > MAX_DEPTH) throw invalid(path, `Nested deeper than ${MAX_DEPTH} levels.`);
  for (const key of Object.keys(value)) {
    checkText(key, path);
    checkStorable(value[key as keyof object], path === "" ? key : `${path}.${key}`, depth + 1);
  }
}

function checkText(text: string, path: string): void {
  if (text.includes("\0")) throw invalid(path, "Contains a NUL character.");
  if (!text.isWellFormed()) throw invalid(path, "Contains half of a surrogate pair.");
}

export function invalid(path: string, message: string): PaymentsError {
  const details: ErrorDetail[] = [{ path, message }];
  return new PaymentsError("invalid_input", path === "" ? message : `${path}: ${message}`, {
    details,
  });
}

/** What is wrong with an input, by member; for a union, what is wrong with the closest form. */
export function inputErrors({ issues }: z.core.$ZodError, given: unknown): ErrorDetail[] {
  return flatten(issues, given, []).map(({ path, message }) => ({ path: path.join("."), message }));
}

type InputError = { path: PropertyKey[]; message: string };

function flatten(
  issues: readonly z.core.$ZodIssue[],
  given: unknown,
  at: PropertyKey[],
): InputError[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...issue.path];
    // The closest form is the one with the fewest absent members.
    const absentIn = (errors: InputError[]) =>
      errors.filter((error) => memberAt(given, error.path.slice(0, path.length + 1)) === undefined)
        .length;
    const forms = issue.code === "invalid_union" ? issue.errors : [];
    const [nearest] = forms
      .map((form) => flatten(form, given, path))
      .filter((errors) => errors.length > 0)
      // Of two as near, the later one: a form that takes little comes first.
      .reverse()
      .sort((a, b) => absentIn(a) - absentIn(b) || a.length - b.length);
    return nearest ?? [{ path, message: issue.message }];
  });
}

const memberAt = (value: unknown, path: PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key],
    value,
  );
