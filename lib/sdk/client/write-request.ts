import { PaymentsError } from "../protocol/errors.ts";
import { toJson } from "../protocol/json.ts";
import type { Call } from "../protocol/operations/operation.ts";
import type { ServiceRequest } from "./service-request.ts";

/** An operation's request: members of the input go into the path, a header, the query or the body. */
export function writeRequest(
  baseUrl: string,
  row: Pick<Call, "method" | "path">,
  input: Record<string, unknown>,
): { url: string; init: ServiceRequest } {
  const { idempotencyKey, ...members } = input;
  const path = row.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = members[name];
    delete members[name];
    return pathSegment(name, value);
  });
  const headers: Record<string, string> = { accept: "application/json" };
  if (typeof idempotencyKey === "string") headers["idempotency-key"] = idempotencyKey;

  const url = `${baseUrl}/api/v1${path}`;
  const init: ServiceRequest = { method: row.method, headers };
  if (row.method === "GET" || row.method === "DELETE") return { url: url + queryOf(members), init };
  headers["content-type"] = "application/json";
  return { url, init: { ...init, body: toJson(members) } };
}

function pathSegment(name: string, value: unknown): string {
  const text = String(value ?? "");
  if (text === "" || text === "." || text === "..") {
    throw new PaymentsError("invalid_input", `\`${name}\` ${JSON.stringify(text)} is not an id.`);
  }
  return encodeURIComponent(text);
}

function queryOf(members: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  return query.size > 0 ? `?${query}` : "";
}
