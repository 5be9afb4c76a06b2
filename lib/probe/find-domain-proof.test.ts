import type { RequestListener } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { createOutbound } from "@/lib/adapters/outbound/outbound.ts";
import { listen, OPEN, STRICT } from "@/lib/adapters/outbound/testing/outbound-bench.ts";
import { createDomainProofs } from "./find-domain-proof.ts";

const MINE = "42";
const account = "0x1";
const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

const noRecords = async (): Promise<string[]> => [];

async function findAt(handle: RequestListener, limits = {}) {
  const server = await listen(handle);
  open.push(server);
  const outbound = createOutbound({ policy: OPEN, userAgent: "Test/1", limits });
  const find = createDomainProofs({ outbound, readTxt: noRecords });
  return find({ account, agentId: MINE, origin: server.url });
}

const file =
  (body: unknown, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
  };

describe("the well-known file", () => {
  test("proves the agents it lists, and is asked for at its one address", async () => {
    const asked: unknown[] = [];
    const found = await findAt((request, response) => {
      asked.push([request.method, request.url, request.headers.authorization]);
      file({ agents: ["7", MINE] })(request, response);
    });
    expect(found).toEqual({ kind: "proved", method: "file" });
    expect(asked).toEqual([["GET", "/.well-known/turnpike-agents.json", undefined]]);
  });

  test.each([
    ["lists other agents", { agents: ["7", "421", "4"] }, 200, /does not list this agent/],
    ["lists ids as numbers", { agents: [42] }, 200, /IDs as texts/],
    ["names it in another member", { agent: MINE, agents: "42" }, 200, /list "agents"/],
    ["holds the id in nested lists", { agents: [[MINE]] }, 200, /IDs as texts/],
    ["is a list", [MINE], 200, /JSON object/],
    ["is null", "null", 200, /JSON object/],
    ["is a page that says so", `<html>${MINE}</html>`, 200, /JSON object/],
    ["is empty", "", 200, /JSON object/],
    ["is missing", { agents: [MINE] }, 404, /answered 404/],
    ["is behind a login", { agents: [MINE] }, 403, /answered 403/],
    ["was created just now", { agents: [MINE] }, 201, /answered 201/],
    ["is too large", `{"agents":["${MINE}"],"x":"${"x".repeat(70_000)}"}`, 200, /64 KiB/],
  ])("proves nothing when it %s", async (_, body, status, reason) => {
    const found = await findAt(file(body, status));
    expect(found).toEqual({ kind: "absent", reason: expect.stringMatching(reason) });
  });

  test("T38: a redirect is not followed, not even to a file that lists the agent", async () => {
    const other = await listen(file({ agents: [MINE] }));
    open.push(other);
    const found = await findAt((_, response) =>
      response
        .writeHead(302, { location: `${other.url}/.well-known/turnpike-agents.json` })
        .end(JSON.stringify({ agents: [MINE] })),
    );
    expect(found).toMatchObject({ kind: "absent", reason: expect.stringMatching(/redirects/) });
    expect(other.connections()).toBe(0);
  });

  test.each([
    ["a failing server", file("", 503)],
    ["a server that asks for patience", file("", 429)],
    ["a server that never answers", () => {}],
    ["a server that hangs up", ((request) => request.socket.destroy()) as RequestListener],
  ] as [string, RequestListener][])("of %s is unknown, not absent", async (_, handle) => {
    expect((await findAt(handle, { headersMs: 300 })).kind).toBe("unknown");
  });

  test("T36: a private address is refused without a connection", async () => {
    const inside = await listen(file({ agents: [MINE] }));
    open.push(inside);
    const strict = createDomainProofs({
      outbound: createOutbound({
        policy: STRICT,
        userAgent: "Test/1",
        resolve: async () => ["10.0.0.7"],
      }),
      readTxt: noRecords,
    });
    for (const origin of [inside.url, "http://169.254.169.254", "http://rebound.example"]) {
      const found = await strict({ account, agentId: MINE, origin });
      expect([origin, found.kind]).toEqual([origin, "absent"]);
    }
    expect(inside.connections()).toBe(0);
  });
});

describe("the DNS record", () => {
  const asked: string[] = [];
  const findIn = (records: () => Promise<string[]>) =>
    createDomainProofs({
      outbound: createOutbound({
        policy: STRICT,
        userAgent: "Test/1",
        resolve: async () => {
          throw Object.assign(new Error("none"), { code: "ENOTFOUND" });
        },
      }),
      readTxt: async (name) => {
        asked.push(name);
        return records();
      },
    })({ account, agentId: MINE, origin: "https://agent.example:8443" });

  test("proves no other agent than the one it names", async () => {
    expect(await findIn(async () => ["other", `turnpike-agent=${MINE}`])).toEqual({
      kind: "proved",
      method: "dns",
    });
    expect(asked).toEqual(["_turnpike.agent.example"]);
    for (const record of [`turnpike-agent=${MINE}1`, MINE, `x turnpike-agent=${MINE}`]) {
      expect((await findIn(async () => [record])).kind).not.toBe("proved");
    }
  });

  test("that can't be read leaves the outcome unknown", async () => {
    const found = await findIn(() => Promise.reject(new Error("SERVFAIL")));
    expect(found).toMatchObject({ kind: "unknown" });
  });

  test("is not asked of addresses and of this machine", async () => {
    asked.length = 0;
    const found = await findAt(file({}, 404));
    expect(found).toMatchObject({ kind: "absent" });
    expect(asked).toEqual([]);
  });
});
