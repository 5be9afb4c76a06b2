import { createServer } from "node:http";
import { ACCOUNT_HEADER } from "../components/data/shown-account.ts";
import { inFull } from "../lib/testing/in-full.ts";
import { signInForCookie } from "./support/parties.ts";
import { handlerRoutes, serverActions } from "./support/routes.ts";
import { serviceUrl } from "./support/service-url.ts";
import { expect, test } from "./support/test.ts";

const { hostname, port } = new URL(serviceUrl() ?? "http://localhost");

/** Origins that a forged request may come from. */
const FOREIGN: Record<string, Record<string, string>> = {
  "no origin": {},
  "a sandboxed frame": { origin: "null" },
  "a foreign site": { origin: "https://evil.example" },
  "a foreign site with our port": { origin: `http://evil.example:${port}` },
  "a name below ours": { origin: `http://evil.${hostname}:${port}` },
  "a name that begins with ours": { origin: `http://${hostname}.evil.example:${port}` },
  "another port of this machine": { origin: `http://${hostname}:1` },
  "another scheme": { origin: `https://${hostname}:${port}` },
};
const OWN = { origin: `http://${hostname}:${port}` };

type Handler = {
  path: string;
  refusedWith: number;
  /** The status of an empty request of this site: some take those without a session, and name what is missing. */
  withoutSession: number;
  guard: "origin" | "key" | "signature";
};

/** Handlers with effects, and what protects each from forged requests. */
const HANDLERS: Record<string, Handler> = {
  "/agents/[agentId]/checks/run": {
    path: "/agents/1/checks/run",
    refusedWith: 404,
    withoutSession: 404,
    guard: "origin",
  },
  "/agents/new/discover": {
    path: "/agents/new/discover",
    refusedWith: 403,
    withoutSession: 401,
    guard: "origin",
  },
  "/agents/new/probe": {
    path: "/agents/new/probe",
    refusedWith: 403,
    withoutSession: 401,
    guard: "origin",
  },
  "/api/v1/[...path]": {
    path: "/api/v1/api-keys",
    refusedWith: 401,
    withoutSession: 401,
    guard: "key",
  },
  "/api/webhooks/cards": {
    path: "/api/webhooks/cards",
    refusedWith: 400,
    withoutSession: 400,
    guard: "signature",
  },
  "/demo/run": { path: "/demo/run", refusedWith: 403, withoutSession: 200, guard: "origin" },
  "/doctor/run": { path: "/doctor/run", refusedWith: 403, withoutSession: 422, guard: "origin" },
  "/playground/send": {
    path: "/playground/send",
    refusedWith: 403,
    withoutSession: 422,
    guard: "origin",
  },
};

/** Actions that need no session: signing in. */
const OPEN_ACTIONS = [
  "askNewPasskey",
  "askPasskey",
  "askWallet",
  "registerPasskey",
  "signInAsDemo",
  "signInWithPasskey",
  "signInWithWallet",
  "signOut",
  "submitDemo",
];

async function post(path: string, body: string, headers: Record<string, string>) {
  const response = await fetch(`${serviceUrl()}${path}`, {
    method: "POST",
    body,
    headers,
    redirect: "manual",
  });
  return { status: response.status, text: await response.text() };
}

/** Calls an action with empty objects, which none takes apart before it knows who asks. */
const act = ({ id, route }: { id: string; route: string }, headers: Record<string, string>) =>
  post(route.replace(/\[\w+\]/g, "1"), "[{},{}]", {
    "next-action": id,
    "content-type": "text/plain;charset=UTF-8",
    accept: "text/x-component",
    ...headers,
  });

test("R13, T31: every server action rejects requests from other origins", async ({ browser }) => {
  test.setTimeout(120_000);
  const cookie = await signInForCookie(browser, "stranger");
  const actions = serverActions();
  expect(actions.length).toBeGreaterThan(30);
  let asked = 0;
  const origins = Object.entries(FOREIGN);
  for (const [at, action] of actions.entries()) {
    // In the short form each action is asked from two of the origins, and each origin asks many actions.
    const tried = origins.filter((_, number) => inFull(true, (number - at) % 4 === 0));
    for (const [where, origin] of tried) {
      const { status, text } = await act(action, { cookie, ...origin });
      const label = `${action.file} ${action.name} from ${where}: ${status} ${text.slice(-300)}`;
      asked += 1;
      // Named origins are refused before the action is found; without one, the action answers.
      expect([status, text.includes('"code":"forbidden"')], label).toEqual([
        "origin" in origin ? 403 : 200,
        true,
      ]);
    }
  }
  // The session is unchanged.
  const home = await fetch(`${serviceUrl()}/home`, { headers: { cookie }, redirect: "manual" });
  expect(home.status).toBe(200);
  console.log(`csrf: ${actions.length} actions, ${asked} foreign requests, 0 taken`);
});

test("T32: every server action except sign-in requires a session", async () => {
  test.setTimeout(60_000);
  const actions = serverActions();
  const unasked: string[] = [];
  for (const action of actions) {
    if (OPEN_ACTIONS.includes(action.name)) continue;
    const { status, text } = await act(action, OWN);
    const isAsked = status === 200 && text.includes('"code":"unauthorized"');
    if (!isAsked) unasked.push(`${action.file} ${action.name}: ${status} ${text.slice(-200)}`);
  }
  expect(unasked).toEqual([]);
  const names = actions.map(({ name }) => name);
  expect(OPEN_ACTIONS.filter((name) => !names.includes(name))).toEqual([]);
});

test("every server action except sign-in refuses a page that shows another account", async ({
  browser,
}) => {
  test.setTimeout(60_000);
  const cookie = await signInForCookie(browser, "stranger");
  const page = { cookie, ...OWN, [ACCOUNT_HEADER]: `0x${"0".repeat(40)}` };
  const taken: string[] = [];
  for (const action of serverActions()) {
    if (OPEN_ACTIONS.includes(action.name)) continue;
    const { status, text } = await act(action, page);
    const isRefused = status === 200 && text.includes('"code":"page_outdated"');
    if (!isRefused) taken.push(`${action.file} ${action.name}: ${status} ${text.slice(-200)}`);
  }
  expect(taken).toEqual([]);
});

/** Where Next sends actions when it is not told its port. */
const NEXT_DEFAULT_PORT = 3000;

test("T31: an action sent to a page without it is refused, and never leaves the process", async () => {
  test.setTimeout(60_000);
  const received: string[] = [];
  const listener = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    response.setHeader("content-type", "text/x-component").end("forged");
  });
  // Another program may have the port; the refusals below still show that nothing was forwarded.
  listener.on("error", () => {});
  listener.listen(NEXT_DEFAULT_PORT, "127.0.0.1");
  const cookie = { cookie: "turnpike-session=made-up", ...OWN };
  for (const action of serverActions().filter(({ pages }) => !pages.includes("/explore"))) {
    const { status, text } = await act({ ...action, route: "/explore" }, cookie);
    expect([action.name, status, text]).toEqual([action.name, 409, "Server Action unavailable."]);
  }
  // It redirects, and Next would fetch the page it redirects to.
  const signOut = serverActions().find(({ name }) => name === "signOut");
  if (signOut) expect((await act(signOut, cookie)).text).toBe("");
  expect(received).toEqual([]);
  listener.close();
});

test("T31: every handler with effects rejects requests from other origins @long", async ({
  browser,
}) => {
  const changing = handlerRoutes().filter(({ methods }) =>
    methods.some((method) => method !== "GET"),
  );
  expect(changing.map(({ route }) => route).toSorted()).toEqual(Object.keys(HANDLERS).toSorted());
  const cookie = await signInForCookie(browser, "stranger");
  for (const [route, { path, refusedWith, withoutSession, guard }] of Object.entries(HANDLERS)) {
    for (const [where, origin] of Object.entries(FOREIGN)) {
      // An origin of another site is refused before anything else of the request is read.
      const expected = guard === "origin" && "origin" in origin ? 403 : refusedWith;
      for (const type of ["application/json", "text/plain"]) {
        const { status } = await post(path, "{}", { cookie, "content-type": type, ...origin });
        expect(status, `${route} from ${where}`).toBe(expected);
      }
    }
    const { status } = await post(path, "{}", { ...OWN, "content-type": "application/json" });
    expect(status, `${route} without a session`).toBe(withoutSession);
  }
});

test("R13, T35: sign-in redirects within this site only", async ({ browser }) => {
  const cookie = await signInForCookie(browser, "stranger");
  for (const next of [
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/%09/evil.example",
    "/\t/evil.example",
    "https://evil.example",
    "https:evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "/..//evil.example",
    "/@evil.example/../..//evil.example",
    "%2f%2fevil.example",
    "\u0001//evil.example",
  ]) {
    const url = `${serviceUrl()}/sign-in?next=${encodeURIComponent(next)}`;
    const response = await fetch(url, { headers: { cookie }, redirect: "manual" });
    const text = await response.text();
    const [, streamed] = /NEXT_REDIRECT;\w+;([^;]*);/.exec(text) ?? [];
    const to = response.headers.get("location") ?? streamed ?? "";
    expect(new URL(to, serviceUrl()).origin, `${next} leads to ${to}`).toBe(
      new URL(serviceUrl() ?? "").origin,
    );
  }
});
