import { hasRight, type KeyScope, type RequestRecord } from "@turnpike/payments/protocol";
import { SearchItem, SearchKind } from "@/lib/console/search.ts";
import { type Caller, type Context, requireCaller } from "../context.ts";
import type { FoundKind, FoundRequest } from "./search-ports.ts";

const MOST_OF_A_KIND = 5;
const MOST = 25;

/** What a key must be allowed to read. */
const SCOPES: Record<SearchKind, KeyScope> = {
  agent: "plans",
  plan: "plans",
  customer: "activity",
  subscription: "orders",
  delegation: "delegations",
  token: "tokens",
  order: "orders",
  request: "activity",
  apiKey: "keys",
};

type Ranked = SearchItem & { rank: number };

/** Finds the caller's objects: the exact one first, then whole names, beginnings and parts. */
export async function search(context: Context, { q }: { q: string }) {
  const caller = requireCaller(context);
  const kinds = SearchKind.options.filter((kind) => mayRead(caller, SCOPES[kind]));
  const searched = kinds.filter((kind): kind is FoundKind => kind !== "request");
  const [found, requests] = await Promise.all([
    context.ports.search.find(caller.account, q, { kinds: searched, limit: MOST_OF_A_KIND }),
    kinds.includes("request") ? findRequests(context, q) : [],
  ]);
  const items: Ranked[] = [
    ...found.map(({ rank, ...item }) => ({ ...item, isExact: rank === 0, rank })),
    ...requests,
  ];
  const place = ({ kind }: Ranked) => SearchKind.options.indexOf(kind);
  const sorted = items.toSorted((one, other) => one.rank - other.rank || place(one) - place(other));
  return { items: sorted.slice(0, MOST).map((item) => SearchItem.parse(item)) };
}

/** By id, by their settlement or its transaction; otherwise by a part of their id. */
async function findRequests(context: Context, q: string): Promise<Ranked[]> {
  const { account } = requireCaller(context);
  const { activity, search } = context.ports;
  if (!/^[\w-]{4,128}$/.test(q)) return [];
  const read = async (all: FoundRequest[]) => {
    const records = await Promise.all(all.map(({ id }) => activity.find(account, id)));
    return records.flatMap((record, index) =>
      record ? [itemOf(record, all[index]?.rank ?? 0)] : [],
    );
  };
  const settled = await search.requestsSettledAs(account, q, MOST_OF_A_KIND);
  const exact = await read([{ id: q, rank: 0 }, ...settled]);
  if (exact.length > 0 || q.startsWith("0x")) return exact;
  return read(await search.requestsLike(account, q, MOST_OF_A_KIND));
}

const itemOf = (record: RequestRecord, rank: number): Ranked => ({
  kind: "request",
  id: record.agentRequestId,
  name: record.path ? `${record.method ?? ""} ${record.path}`.trim() : record.agentRequestId,
  detail: record.moneyStatus,
  href: `/activity/${encodeURIComponent(record.agentRequestId)}`,
  isExact: rank === 0,
  rank,
});

const mayRead = (caller: Caller, scope: KeyScope) =>
  caller.keyId === null || hasRight(caller.rights, { scope, level: "read" });
