import { isDeepStrictEqual } from "node:util";
import { createOperations, Payments } from "@turnpike/payments";
import { type Operation, pathMembers } from "@turnpike/payments/protocol";
import type { RecordedRequest } from "@/components/docs/recorded-examples.ts";
import { sandbox } from "@/lib/sandbox/operations.ts";

type Input = Record<string, unknown>;

const ORIGIN = "https://turnpike.example";
const claims = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
const KEY = `svc-sandbox:${claims({ alg: "none" })}.${claims({ sub: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" })}.x`;

/** A request as it travels: path members in the path, the key that makes a repeat safe in its header. */
export function requestOf(row: Operation, { idempotencyKey, ...input }: Input): RecordedRequest {
  const members = pathMembers(row.path);
  const rest = Object.entries(input).filter(([name]) => !members.includes(name));
  const path = members.reduce(
    (text, name) => text.replace(`:${name}`, encodeURIComponent(String(input[name]))),
    row.path,
  );
  const hasBody = row.method === "POST" || row.method === "PUT";
  const query = new URLSearchParams(rest.map(([name, value]) => [name, String(value)]));
  return {
    path: hasBody || rest.length === 0 ? path : `${path}?${query}`,
    ...(idempotencyKey !== undefined && { repeatKey: String(idempotencyKey) }),
    ...(hasBody &&
      rest.length > 0 && { body: JSON.parse(JSON.stringify(Object.fromEntries(rest))) }),
  };
}

/** The arguments of the client's method that send exactly this input; undefined when none of the usual forms does. */
export async function argsOf(
  name: string,
  row: Operation,
  input: Input,
): Promise<unknown[] | undefined> {
  const wanted = requestOf(row, input);
  for (const args of candidates(row, input)) {
    if (await sends(name, row, args, wanted)) return args;
  }
  return undefined;
}

/** Whether the client's method sends this request. A key that the request does not have may be the client's own. */
export async function sends(
  ...[name, row, args, wanted]: [string, Operation, readonly unknown[], RecordedRequest]
): Promise<boolean> {
  const sent = await sentBy(name, row, args);
  if (!sent) return false;
  const { repeatKey: _, ...rest } = sent;
  const [given, expected] = [wanted.repeatKey === undefined ? rest : sent, wanted].map(
    ({ path, ...others }) => {
      const url = new URL(path, ORIGIN);
      return { path: url.pathname, query: Object.fromEntries(url.searchParams), ...others };
    },
  );
  return isDeepStrictEqual(given, expected);
}

/** The forms that methods take: the input, or its members one by one with the rest as options. */
function candidates({ path }: Operation, input: Input): unknown[][] {
  const without = (...names: string[]) =>
    Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)));
  const members = pathMembers(path);
  const values = members.map((name) => input[name]);
  const rest = without(...members);
  const { metadataAttributes: about, priceConfig, creditsConfig, agentApiAttributes: api } = input;
  const { plan, agent, plans, accepted } = input as {
    plan?: Input;
    agent?: Input;
    plans?: string[];
    accepted?: { planId?: string; scheme?: string; extra?: { agentId?: string } };
  };
  return [
    ...(Object.keys(input).length === 0 ? [[]] : []),
    ...(Object.keys(rest).length === 0 ? [values] : [[...values, rest]]),
    [...values, ...Object.values(rest)],
    [input],
    [
      about,
      priceConfig,
      creditsConfig,
      without("metadataAttributes", "priceConfig", "creditsConfig"),
    ],
    [about, api, plans],
    [about, api, plans, without("metadataAttributes", "agentApiAttributes", "plans")],
    ...[[], [plan]].map((more) => [
      ...[agent?.metadataAttributes, agent?.agentApiAttributes],
      ...[plan?.metadataAttributes, plan?.priceConfig, plan?.creditsConfig, ...more],
    ]),
    [
      accepted?.planId,
      accepted?.extra?.agentId,
      { scheme: accepted?.scheme, ...without("accepted") },
    ],
  ];
}

const REFUSED = { code: "not_found", message: "", httpStatus: 404, requestId: "" };

/** The first request that a method of the client sends. */
async function sentBy(
  ...[name, row, args]: [string, Operation, readonly unknown[]]
): Promise<RecordedRequest | undefined> {
  let sent: RecordedRequest | undefined;
  const payments = Payments.getInstance({
    apiKey: KEY,
    environment: "sandbox",
    baseUrl: ORIGIN,
    fetch: async (address, init) => {
      const request = new Request(address, init);
      const { pathname, search } = new URL(request.url);
      const { idempotencyKey, ...body } = JSON.parse((await request.text()) || "{}");
      const repeatKey = request.headers.get("idempotency-key") ?? idempotencyKey;
      sent ??= {
        path: pathname.replace("/api/v1", "") + search,
        ...(repeatKey && { repeatKey }),
        ...(Object.keys(body).length > 0 && { body }),
      };
      return Response.json(REFUSED, { status: 404 });
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
  // It is refused once it has sent its request.
  await Promise.resolve(method(...args)).catch(() => undefined);
  return sent;
}
