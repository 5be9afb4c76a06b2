import { canParseUrl } from "@turnpike/payments/protocol";
import { HOSTED_DEFINITION } from "@/lib/console/hosted-definition.ts";
import type { AgentDefinition, FoundEndpoint, Look } from "@/lib/probe/report/discovery.ts";
import type { Probe } from "@/lib/probe/report/probe.ts";
import { type AccessDraft, NO_ACCESS } from "../agent-types.ts";
import type { ProbeRequest } from "../use-probes.ts";

/** An endpoint, whose `url` is without its query. */
export type Row = ProbeRequest & {
  /** The query, sent when probing and never registered. */
  search: string;
  /** Added by hand, so it can be edited and removed. */
  isOwn?: boolean;
  /** The service has accepted it, and it can't be edited. */
  isRegistered?: boolean;
  isElsewhere: boolean;
  isTicked: boolean;
  isPaid: boolean;
  probe: Probe | null;
};

type About = Record<"name" | "description" | "author" | "license" | "tags", string>;

/** Everything typed and found until the agent is registered. */
export type RegistrationDraft = {
  url: string;
  /** URL of the definition document: the one found, or the one that Turnpike will host. */
  definitionUrl: string;
  about: About;
  /** What discovery filled `about` with; everything else in it was typed. */
  foundAbout: About;
  definition: Pick<AgentDefinition, "kind" | "label" | "name" | "version" | "url"> | null;
  looks: Look[];
  tookMs: number | null;
  rows: Row[];
  access: AccessDraft;
  planIds: string[];
};

const NO_ABOUT: About = { name: "", description: "", author: "", license: "", tags: "" };

export const EMPTY_DRAFT: RegistrationDraft = {
  url: "",
  definitionUrl: "",
  about: NO_ABOUT,
  foundAbout: NO_ABOUT,
  definition: null,
  looks: [],
  tookMs: null,
  rows: [],
  access: NO_ACCESS,
  planIds: [],
};

let lastKey = 0;
const newKey = (): number => ++lastKey;

export function rowOf(endpoint: FoundEndpoint): Row {
  const [url = "", query] = endpoint.url.split("?", 2);
  const { verb, values, sample, isStream, isElsewhere, isPayable } = endpoint;
  return {
    key: newKey(),
    verb,
    url,
    search: query ? `?${query}` : "",
    ...(values && { values }),
    ...(sample && { sample }),
    ...(isStream && { isStream }),
    isElsewhere,
    // A document may list endpoints of another origin: the builder has to confirm those.
    isTicked: isPayable && !isElsewhere,
    isPaid: isPayable,
    probe: null,
  };
}

export const ownRow = (url = "", verb = "POST"): Row => ({
  key: newKey(),
  verb,
  url,
  search: "",
  isOwn: true,
  isElsewhere: false,
  isTicked: true,
  isPaid: true,
  probe: null,
});

export const registeredRow = (row: Row): Row => ({ ...row, isOwn: false, isRegistered: true });

/** The draft while an agent's URL is read. `hosted` is the definition where none is found, unless another was typed. */
export function whileChecking(
  draft: RegistrationDraft,
  { url, hosted }: { url: string; hosted: string },
): RegistrationDraft {
  const definitionUrl = isTyped(draft) ? draft.definitionUrl : hosted;
  return { ...draft, url, looks: [], tookMs: null, definition: null, definitionUrl };
}

/** Whether the definition's URL is neither one that was found nor the one that Turnpike hosts. */
const isTyped = ({ definition, definitionUrl }: RegistrationDraft): boolean =>
  definitionUrl !== "" &&
  definitionUrl !== definition?.url &&
  !definitionUrl.endsWith(HOSTED_DEFINITION);

/** Adds what discovery found. Text and endpoints that were typed stay. */
export function withFound(
  draft: RegistrationDraft,
  definition: AgentDefinition | null,
  endpoint: FoundEndpoint | null,
  tookMs: number,
): RegistrationDraft {
  const listed = (definition?.endpoints ?? []).map(rowOf);
  const pasted = endpoint ? [rowOf(endpoint)] : [];
  const isIn = (rows: readonly Row[]) => (row: Row) =>
    rows.some(({ verb, url }) => verb === row.verb && url === row.url.trim());
  const found = [...pasted.filter((row) => !isIn(listed)(row)), ...listed];
  const foundAbout = {
    name: definition?.name || hostOf(draft.url),
    description: definition?.description ?? "",
    author: definition?.author ?? "",
    license: definition?.license ?? "",
    tags: (definition?.tags ?? []).join(", "),
  };
  return {
    ...draft,
    tookMs,
    definitionUrl: (!isTyped(draft) && definition?.url) || draft.definitionUrl,
    definition,
    about: { ...foundAbout, ...typedAbout(draft) },
    foundAbout,
    rows: [...found, ...draft.rows.filter((row) => row.isOwn && !isIn(found)(row))],
  };
}

const typedAbout = ({ about, foundAbout }: RegistrationDraft): Partial<About> =>
  Object.fromEntries(
    Object.entries(about).filter(([key, text]) => text && text !== foundAbout[key as keyof About]),
  );

/** Why the agent's host did not answer; undefined if it did. Other locations are looked at only on a host that answers. */
export function unreachedNote({ looks: [first, ...others] }: RegistrationDraft) {
  return first?.state === "failed" && others.length === 0 ? first.note : undefined;
}

export const hostOf = (url: string): string => (canParseUrl(url) ? new URL(url).host : "");

export const paidRows = (rows: readonly Row[]): Row[] =>
  rows.filter(({ isTicked, isPaid }) => isTicked && isPaid);
export const openRows = (rows: readonly Row[]): Row[] =>
  rows.filter(({ isTicked, isPaid }) => isTicked && !isPaid);

export const probeRequestOf = (row: Row): ProbeRequest => {
  const { key, verb, url, search, values, sample, isStream } = row;
  return {
    key,
    verb,
    url: url + search,
    ...(values && { values }),
    ...(sample && { sample }),
    ...(isStream && { isStream }),
  };
};

/** Whether a row is still what was probed. With another method, URL or sample the result is of another request. */
const isOf = (asked: ProbeRequest) => (row: Row) =>
  JSON.stringify(probeRequestOf(row)) === JSON.stringify(asked);

export const withSeen = (rows: readonly Row[], asked: ProbeRequest, probe: Probe): Row[] =>
  rows.map((row) => (isOf(asked)(row) ? { ...row, probe } : row));

/** Adds what a probe saw. A plan of the account that the agent already offers is selected. */
export function withProbe(
  draft: RegistrationDraft,
  {
    asked,
    probe,
    ownPlanIds,
  }: { asked: ProbeRequest; probe: Probe; ownPlanIds: readonly string[] },
): RegistrationDraft {
  if (!draft.rows.some(isOf(asked))) return draft;
  const offered = new Set(probe.offers.map(({ planId }) => planId));
  return {
    ...draft,
    rows: withSeen(draft.rows, asked, probe),
    planIds: [...new Set([...draft.planIds, ...ownPlanIds.filter((id) => offered.has(id))])],
  };
}

export const togglePlan = (planIds: readonly string[], planId: string): string[] =>
  planIds.includes(planId) ? planIds.filter((one) => one !== planId) : [...planIds, planId];

export const brokenRows = (rows: readonly Row[]): Row[] =>
  paidRows(rows).filter(({ probe }) => probe && probe.result !== "ready");

/** Probed endpoints whose offers are of other plans than the selected ones. One that also takes money can be paid without any. */
export function rowsWithoutPlans({ rows, planIds }: RegistrationDraft): Row[] {
  return paidRows(rows).filter(
    ({ probe }) =>
      probe?.offers.every(
        ({ planId, credits }) => credits !== null && !planIds.includes(planId ?? ""),
      ) ?? false,
  );
}

/** What blocks registration in live: endpoints that are not ready. */
export const errorsOf = (draft: RegistrationDraft): string[] =>
  brokenRows(draft.rows).map(({ verb, url, probe }) => `${verb} ${url}: ${probe?.why}`);

/** Drafts are kept in this tab only, one per account. */
const keyOf = (account: string) => `turnpike-agent-draft.${account}`;

/** Keeps the draft. Passwords, tokens and headers are never stored. */
export function saveDraft(account: string, draft: RegistrationDraft): void {
  const { username, authType } = draft.access;
  const access = { ...NO_ACCESS, authType, username };
  sessionStorage.setItem(keyOf(account), JSON.stringify({ ...draft, access }));
}

export function loadDraft(account: string): RegistrationDraft | null {
  const text = sessionStorage.getItem(keyOf(account));
  if (!text) return null;
  try {
    const draft = { ...EMPTY_DRAFT, ...(JSON.parse(text) as RegistrationDraft) };
    return { ...draft, rows: draft.rows.map((row) => ({ ...row, key: newKey() })) };
  } catch {
    return null;
  }
}

export const dropDraft = (account: string): void => sessionStorage.removeItem(keyOf(account));
