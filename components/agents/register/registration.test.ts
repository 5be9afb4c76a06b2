import { describe, expect, test, vi } from "vitest";
import { HOSTED_DEFINITION } from "@/lib/console/hosted-definition.ts";
import type { Probe } from "@/lib/probe/report/probe.ts";
import {
  dropDraft,
  EMPTY_DRAFT,
  errorsOf,
  loadDraft,
  ownRow,
  probeRequestOf,
  registeredRow,
  rowOf,
  rowsWithoutPlans,
  saveDraft,
  togglePlan,
  unreachedNote,
  whileChecking,
  withFound,
  withProbe,
} from "./registration-draft.ts";
import {
  draftFieldOf,
  inputOf,
  registrationFaults,
  rowsFault,
  stepSummary,
} from "./registration-input.ts";
import { stepOfField } from "./registration-steps.ts";

const ORIGIN = "https://agent.example";
const PROBE: Probe = {
  result: "bad-envelope",
  why: "httpVerb is in resource, so no client can pay.",
  status: 402,
  ms: 83,
  calledUrl: `${ORIGIN}/compare`,
  worksWith: null,
  findings: [],
  offers: [],
  envelope: { x402Version: 2 },
};

describe("a registration", () => {
  const definition = {
    kind: "openapi" as const,
    url: `${ORIGIN}/openapi.json`,
    label: "OpenAPI 3.1, 3 paths",
    name: "Filings reader",
    endpoints: [
      { verb: "POST", url: `${ORIGIN}/ask`, isPayable: true, isElsewhere: false },
      { verb: "GET", url: `${ORIGIN}/health`, isPayable: false, isElsewhere: false },
      { verb: "POST", url: "http://localhost:6379/", isPayable: true, isElsewhere: true },
    ],
    leftOut: 0,
  };

  test("only payable endpoints of the document's own origin are selected", () => {
    const { rows, about } = withFound(EMPTY_DRAFT, definition, null, 12);
    expect(rows.map(({ isTicked, isPaid }) => [isTicked, isPaid])).toEqual([
      [true, true],
      [false, false],
      [false, true],
    ]);
    expect(about.name).toBe("Filings reader");
  });

  test("a draft is kept for the account that began it, and for no other one of this tab", () => {
    const kept = new Map<string, string>();
    vi.stubGlobal("sessionStorage", {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, text: string) => kept.set(key, text),
      removeItem: (key: string) => kept.delete(key),
    });
    const draft = withFound(EMPTY_DRAFT, definition, null, 12);
    saveDraft("0xA", draft);
    expect(loadDraft("0xA")?.about.name).toBe("Filings reader");
    expect(loadDraft("0xB")).toBeNull();
    dropDraft("0xB");
    expect(loadDraft("0xA")).not.toBeNull();
    dropDraft("0xA");
    expect(loadDraft("0xA")).toBeNull();
  });

  test("typed text wins over the document", () => {
    const typed = { ...EMPTY_DRAFT, about: { ...EMPTY_DRAFT.about, name: "Mine" } };
    expect(withFound(typed, definition, null, 12).about.name).toBe("Mine");
  });

  test("what an earlier check filled in gives way to what a later one finds, and typed text does not", () => {
    const failed = withFound({ ...EMPTY_DRAFT, url: "http://localhost:1/none" }, null, null, 3);
    expect(failed.about.name).toBe("localhost:1");
    const typed = { ...failed, url: ORIGIN, about: { ...failed.about, author: "Filings GmbH" } };
    const found = withFound(typed, { ...definition, author: "Someone" }, null, 12);
    expect(found.about).toMatchObject({ name: "Filings reader", author: "Filings GmbH" });
    const renamed = { ...found, about: { ...found.about, name: "Mine" } };
    expect(withFound(renamed, definition, null, 12).about.name).toBe("Mine");
  });

  test("endpoints that were added by hand stay when the agent is checked again", () => {
    const own = [ownRow(`${ORIGIN}/compare`), ownRow(`${ORIGIN}/ask`)];
    const found = withFound(EMPTY_DRAFT, definition, null, 12);
    const { rows } = withFound({ ...found, rows: [...found.rows, ...own] }, definition, null, 12);
    expect(rows.map(({ url, isOwn }) => [url, isOwn ?? false])).toEqual([
      [`${ORIGIN}/ask`, false],
      [`${ORIGIN}/health`, false],
      ["http://localhost:6379/", false],
      [`${ORIGIN}/compare`, true],
    ]);
  });

  test("an endpoint that was pasted with a query is listed once", () => {
    const pasted = { verb: "POST", url: `${ORIGIN}/ask?x=1`, isPayable: true, isElsewhere: false };
    const own = ownRow(`${ORIGIN}/ask`);
    const { rows } = withFound({ ...EMPTY_DRAFT, rows: [own] }, definition, pasted, 12);
    expect(rows.filter(({ url }) => url.includes("/ask"))).toMatchObject([
      { verb: "POST", url: `${ORIGIN}/ask`, search: "" },
    ]);
  });

  test("a host that did not answer is named, and is not read", () => {
    const failed = { url: `${ORIGIN}/none`, path: "/none", state: "failed" as const, ms: 3 };
    const draft = { ...EMPTY_DRAFT, url: `${ORIGIN}/none`, tookMs: 3 };
    const unreached = { ...draft, looks: [{ ...failed, note: "It refused the connection." }] };
    expect(unreachedNote(unreached)).toBe("It refused the connection.");
    expect(stepSummary("definition", unreached, [])).toBe("Not reached");
    const absent = { ...failed, state: "absent" as const, note: "404" };
    expect(unreachedNote({ ...draft, looks: [absent] })).toBeUndefined();
    // A host that answers is asked for all known documents; what fails then is those.
    const large = { ...failed, note: "Larger than 1 MB." };
    expect(unreachedNote({ ...draft, looks: [large, large] })).toBeUndefined();
    expect(stepSummary("definition", { ...draft, looks: [absent] }, [])).toBe("Read in 3 ms");
  });

  test("names the paid endpoints that offer none of the selected plans", () => {
    const draft = withFound(EMPTY_DRAFT, definition, null, 12);
    const offers = [{ planId: "42", credits: "1" } as Probe["offers"][number]];
    const rows = draft.rows.map((row) => ({ ...row, probe: { ...PROBE, offers } }));
    expect(rowsWithoutPlans({ ...draft, rows, planIds: ["41"] })).toEqual([rows[0]]);
    expect(rowsWithoutPlans({ ...draft, rows, planIds: ["41", "42"] })).toEqual([]);
    expect(rowsWithoutPlans({ ...draft, rows, planIds: [] })).toEqual([rows[0]]);
    expect(rowsWithoutPlans({ ...draft, planIds: ["41"] })).toEqual([]);
    const money = { planId: null, credits: null } as Probe["offers"][number];
    const direct = rows.map((row) => ({
      ...row,
      probe: { ...row.probe, offers: [...offers, money] },
    }));
    expect(rowsWithoutPlans({ ...draft, rows: direct, planIds: ["41"] })).toEqual([]);
    expect(rowsWithoutPlans({ ...draft, rows: direct, planIds: [] })).toEqual([]);
  });

  test("a definition URL that was typed stays when the agent is checked again", () => {
    const hosted = `https://turnpike.example${HOSTED_DEFINITION}`;
    const check = (draft: typeof EMPTY_DRAFT) => whileChecking(draft, { url: ORIGIN, hosted });
    const unread = withFound(check(EMPTY_DRAFT), null, null, 12);
    expect(unread.definitionUrl).toBe(hosted);
    const typed = check({ ...unread, definitionUrl: "https://docs.example/agent.json" });
    expect(typed.definitionUrl).toBe("https://docs.example/agent.json");
    expect(withFound(typed, definition, null, 12).definitionUrl).toBe(typed.definitionUrl);
    // One that was found goes with what it was found for.
    const read = withFound(check(unread), definition, null, 12);
    expect(read.definitionUrl).toBe(definition.url);
    expect(check(read).definitionUrl).toBe(hosted);
  });

  test("errors are endpoints that are not ready", () => {
    const draft = withFound(EMPTY_DRAFT, definition, null, 12);
    expect(errorsOf(draft)).toEqual([]);
    const probed = {
      ...draft,
      rows: draft.rows.map((row) => ({ ...row, probe: PROBE })),
    };
    expect(errorsOf(probed)).toEqual([`POST ${ORIGIN}/ask: ${PROBE.why}`]);
  });

  test("an agent without a definition keeps the URL that Turnpike hosts, and needs one", () => {
    const hosted = `https://turnpike.example${HOSTED_DEFINITION}`;
    const endpoint = { verb: "POST", url: `${ORIGIN}/ask`, isPayable: true, isElsewhere: false };
    const draft = withFound({ ...EMPTY_DRAFT, definitionUrl: hosted }, null, endpoint, 12);
    const named = { ...draft, about: { ...draft.about, name: "Reader" } };
    expect(registrationFaults(named)).toEqual([]);
    expect(inputOf(named).agentApiAttributes).toMatchObject({ agentDefinitionUrl: hosted });
    expect(registrationFaults({ ...named, definitionUrl: "" })).toMatchObject([
      { path: "definitionUrl" },
    ]);
  });

  test("is sent without queries and without endpoints that are not selected", () => {
    const found = {
      verb: "GET",
      url: `${ORIGIN}/items/{id}?year=2020`,
      isPayable: true,
      isElsewhere: false,
    };
    const draft = {
      ...withFound(EMPTY_DRAFT, definition, null, 12),
      planIds: ["42"],
      access: { ...EMPTY_DRAFT.access, authType: "BASIC" as const, username: "me", password: "x" },
    };
    const rows = [
      ...draft.rows,
      rowOf(found),
      { ...rowOf(found), url: `${ORIGIN}/open`, isPaid: false },
    ];
    expect(inputOf({ ...draft, rows })).toEqual({
      metadataAttributes: { name: "Filings reader" },
      agentApiAttributes: {
        endpoints: [{ POST: `${ORIGIN}/ask` }, { GET: `${ORIGIN}/items/{id}` }],
        openEndpoints: [`${ORIGIN}/open`],
        agentDefinitionUrl: `${ORIGIN}/openapi.json`,
        authType: "BASIC",
        username: "me",
        password: "x",
      },
      plans: ["42"],
    });
  });

  test("a probe fills its row, and selects the account's plans that the agent offers", () => {
    const draft = withFound(EMPTY_DRAFT, definition, null, 12);
    const [row] = draft.rows;
    const asked = probeRequestOf(row ?? ownRow());
    const offers = ["42", "99"].map((planId) => ({ planId }) as Probe["offers"][number]);
    const next = withProbe(draft, {
      asked,
      probe: { ...PROBE, offers },
      ownPlanIds: ["41", "42"],
    });
    expect(next.rows.map(({ probe }) => probe?.result)).toEqual([
      "bad-envelope",
      undefined,
      undefined,
    ]);
    expect(next.planIds).toEqual(["42"]);
    const edited = { ...draft, rows: draft.rows.map((one) => ({ ...one, url: `${one.url}/v2` })) };
    const probe = { ...PROBE, result: "ready" as const, offers };
    expect(withProbe(edited, { asked, probe, ownPlanIds: ["42"] })).toBe(edited);
    expect(togglePlan(togglePlan(next.planIds, "41"), "42")).toEqual(["41"]);
  });

  test("needs a checked URL before anything else", () => {
    expect(registrationFaults(EMPTY_DRAFT).map(({ path }) => path)).toEqual(["url"]);
  });

  test("lists its faults in the order of the steps that show them", () => {
    const draft = withFound(EMPTY_DRAFT, definition, null, 12);
    expect(registrationFaults(draft)).toEqual([]);
    const faults = registrationFaults({
      ...draft,
      about: { ...draft.about, name: "" },
      definitionUrl: "openapi.json",
      rows: [],
      access: {
        ...draft.access,
        authType: "BEARER",
        headers: [{ name: "x y", value: "1" }],
      },
    });
    expect(faults.map(({ path }) => [path, stepOfField(path)])).toEqual([
      ["about.name", "definition"],
      ["definitionUrl", "definition"],
      ["rows", "endpoints"],
      ["access.token", "access"],
      ["access.headers.0.name", "access"],
    ]);
    expect(faults.at(-1)?.message).toBe(
      "“x y” is not a valid header name. Use letters, digits and hyphens.",
    );
  });

  test.each([
    ["metadataAttributes.name", "about.name"],
    ["agentApiAttributes.endpoints.0", "rows"],
    ["agentApiAttributes.agentDefinitionUrl", "definitionUrl"],
    ["agentApiAttributes.token", "access.token"],
    ["plans.0", "planIds"],
    ["nonce", undefined],
  ])("an error at %s belongs to %s", (path, field) => {
    expect(draftFieldOf(path)).toBe(field);
  });
});

test("endpoints that are registered need no full URL, and added ones do", () => {
  const registered = ["/ask", "mcp://server/tools/search"].map((url) => registeredRow(ownRow(url)));
  expect(rowsFault(registered)).toBeUndefined();
  expect(rowsFault([...registered, ownRow(`${ORIGIN}/compare`)])).toBeUndefined();
  expect(rowsFault([...registered, ownRow("/compare")])).toContain("/compare");
  expect(rowsFault(registered.map((row) => ({ ...row, isTicked: false })))).toContain(
    "at least one",
  );
});
