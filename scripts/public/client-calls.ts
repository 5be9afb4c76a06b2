import { isDeepStrictEqual } from "node:util";
import { createOperations, Payments } from "@turnpike/payments";
import { type Operation, pathMembers } from "@turnpike/payments/protocol";
import { sandbox } from "@/lib/sandbox/operations.ts";

type Input = Record<string, unknown>;
type Sent = { method: string; path: string; query: Input; body: unknown; key: string | null };

const ORIGIN = "https://turnpike.example";
const claims = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
const KEY = `svc-sandbox:${claims({ alg: "none" })}.${claims({ sub: "0x000000000000000000000000000000000000dEaD" })}.x`;

/** The arguments of the client's method that send exactly this input; undefined when none of the usual forms does. */
export async function callsOf(
  name: string,
  row: Operation,
  input: Input,
): Promise<unknown[] | undefined> {
  const wanted = sentOf(row, input);
  for (const args of candidates(row, input)) {
    const sent = await capture(name, row, args);
    if (!sent) continue;
    // Without a key the client makes one.
    const key = wanted.key === null ? null : sent.key;
    if (isDeepStrictEqual({ ...sent, key }, wanted)) return args;
  }
  return undefined;
}

/** The forms that methods take: the input, or its members one by one with the rest as options. */
function candidates({ path }: Operation, input: Input): unknown[][] {
  const without = (...names: string[]) =>
    Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)));
  const members = pathMembers(path);
  const values = members.map((name) => input[name]);
  const rest = without(...members);
  const given = Object.values(input);
  const {
    metadataAttributes: about,
    priceConfig,
    creditsConfig,
    agentApiAttributes: api,
    plans,
  } = input;
  const { plan, agent } = input as { plan?: Input; agent?: Input };
  const { accepted } = input as {
    accepted?: { planId?: string; scheme?: string; extra?: { agentId?: string } };
  };
  return [
    ...(Object.keys(input).length === 0 ? [[]] : []),
    ...(Object.keys(rest).length === 0 ? [values] : [[...values, rest]]),
    [...values, ...Object.values(rest)],
    [input],
    given,
    [
      about,
      priceConfig,
      creditsConfig,
      without("metadataAttributes", "priceConfig", "creditsConfig"),
    ],
    [about, priceConfig, creditsConfig],
    [about, api, plans],
    [about, api, plans, without("metadataAttributes", "agentApiAttributes", "plans")],
    [
      agent?.metadataAttributes,
      agent?.agentApiAttributes,
      plan?.metadataAttributes,
      plan?.priceConfig,
      plan?.creditsConfig,
    ],
    [
      agent?.metadataAttributes,
      agent?.agentApiAttributes,
      plan?.metadataAttributes,
      plan?.priceConfig,
      plan?.creditsConfig,
      plan,
    ],
    [input.paymentRequired, input.x402AccessToken, without("paymentRequired", "x402AccessToken")],
    [
      accepted?.planId,
      accepted?.extra?.agentId,
      { scheme: accepted?.scheme, ...without("accepted") },
    ],
    [input.planId, without("planId", "sessionType")],
  ];
}

const inJson = <T>(value: T): T =>
  value === undefined ? value : JSON.parse(JSON.stringify(value));

function sentOf(row: Operation, input: Input): Sent {
  const members = pathMembers(row.path);
  const path = members.reduce(
    (text, name) => text.replace(`:${name}`, encodeURIComponent(String(input[name]))),
    row.path,
  );
  const rest = Object.entries(input).filter(
    ([name]) => !members.includes(name) && name !== "idempotencyKey",
  );
  const hasBody = row.method === "POST" || row.method === "PUT";
  return {
    method: row.method,
    path: `/api/v1${path}`,
    query: hasBody ? {} : Object.fromEntries(rest.map(([name, value]) => [name, String(value)])),
    body: hasBody ? inJson(Object.fromEntries(rest)) : {},
    key: input.idempotencyKey === undefined ? null : String(input.idempotencyKey),
  };
}

async function capture(name: string, row: Operation, args: unknown[]): Promise<Sent | undefined> {
  let sent: Sent | undefined;
  const payments = Payments.getInstance({
    apiKey: KEY,
    environment: "sandbox",
    baseUrl: ORIGIN,
    fetch: async (address, init) => {
      const request = new Request(address, init);
      const { pathname, searchParams } = new URL(request.url);
      const { idempotencyKey, ...body } = JSON.parse((await request.text()) || "{}");
      sent ??= {
        method: request.method,
        path: pathname,
        query: Object.fromEntries(searchParams),
        body,
        key: request.headers.get("idempotency-key") ?? idempotencyKey ?? null,
      };
      return Response.json(
        { code: "not_found", message: "", httpStatus: 404, requestId: "" },
        { status: 404 },
      );
    },
  });
  const group =
    row.audience === "sandbox"
      ? createOperations(payments.connection, sandbox)
      : payments[row.group as keyof Payments];
  const method = (group as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>)[
    name
  ];
  if (!method) return undefined;
  await Promise.resolve()
    .then(() => method(...args))
    .catch(() => undefined);
  return sent;
}
