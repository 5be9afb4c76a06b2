import { type ErrorDetail, PaymentsError, withoutNulls } from "@turnpike/payments/protocol";
import type { z } from "zod";

/** The largest body an operation reads, in bytes. */
export const MAX_BODY_BYTES = 256 * 1024;
const MAX_DEPTH = 32;

/** A JSON object from a request's body; empty text is an empty object. Throws `invalid_input` for the rest. */
export function readBody(text: string): Record<string, unknown> {
  if (text.length > MAX_BODY_BYTES) {
    throw new PaymentsError(
      "payload_too_large",
      `The body is larger than ${MAX_BODY_BYTES} bytes.`,
    );
  }
  if (text.trim() === "") return {};
  const body = parseJson(text);
  checkStorable(body, "", 0);
  const given = withoutNulls(body);
  if (typeof given === "object" && given !== null && !Array.isArray(given)) {
    return given as Record<string, unknown>;
  }
  throw invalid("", "Expected a JSON object.");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PaymentsError("invalid_input", "The body is not JSON.", {
      details: [{ path: "", message: String((cause as Error).message) }],
    });
  }
}

/** Refuses what no database column can hold: NUL characters, half surrogate pairs, endless nesting. */
export function checkStorable(value: unknown, path: string, depth: number): void {
  if (typeof value === "string") checkText(value, path);
  if (typeof value !== "object" || value === null) return;
  if (depth > MAX_DEPTH) throw invalid(path, `Nested deeper than ${MAX_DEPTH} levels.`);
  for (const [key, item] of Object.entries(value)) {
    checkText(key, path);
    checkStorable(item, path === "" ? key : `${path}.${key}`, depth + 1);
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

/** What is wrong with an input, member by member; of a member with several forms, the one it is nearest to. */
export function faultsOf({ issues }: z.ZodError, given: unknown): ErrorDetail[] {
  return flatten(issues, given, []).map(({ path, message }) => ({ path: path.join("."), message }));
}

type Fault = { path: PropertyKey[]; message: string };

function flatten(issues: readonly z.core.$ZodIssue[], given: unknown, at: PropertyKey[]): Fault[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...issue.path];
    // A form whose members are there, but wrong, was meant rather than one whose members are not there.
    const absentIn = (faults: Fault[]) =>
      faults.filter((fault) => memberAt(given, fault.path.slice(0, path.length + 1)) === undefined)
        .length;
    const forms = issue.code === "invalid_union" ? issue.errors : [];
    const [nearest] = forms
      .map((form) => flatten(form, given, path))
      .filter((faults) => faults.length > 0)
      .sort((a, b) => absentIn(a) - absentIn(b) || a.length - b.length);
    return nearest ?? [{ path, message: issue.message }];
  });
}

const memberAt = (value: unknown, path: PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key],
    value,
  );
