import { afterEach, describe, expect, test, vi } from "vitest";
import { apiKeyOf, SUBSCRIBER } from "../test-support/fake-service.ts";
import { runCommand } from "./command-line.ts";
import { createVerbContext } from "./context.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A command without TURNPIKE_URL, and where it sent requests. */
async function run(args: string[], environment: string) {
  vi.stubEnv("TURNPIKE_URL", undefined);
  const sent: string[] = [];
  let error = "";
  const context = createVerbContext({
    apiKey: apiKeyOf(SUBSCRIBER, environment),
    baseUrl: undefined,
    fetch: async (input) => {
      sent.push(String(input instanceof Request ? input.url : input));
      return Response.json({ items: [] });
    },
  });
  const rest = { readFile: async () => "", serveMcp: async () => {} };
  const print = (text: string) => {
    error += text;
  };
  const code = await runCommand(args, { ...context, ...rest }, { out: () => {}, error: print });
  return { sent, error, code };
}

describe("a command without an address", () => {
  test.each([[["balance"]], [["search", "words"]]])(
    "%j with a live key sends nothing, and says what to set",
    async (args) => {
      const { sent, error, code } = await run(args, "live");
      expect([code, sent]).toEqual([2, []]);
      expect(error).toContain("Set TURNPIKE_URL to the address of your Turnpike.");
    },
  );

  test("with a key of the sandbox asks the sandbox", async () => {
    const { sent } = await run(["search", "words"], "sandbox");
    expect(sent).toEqual([expect.stringMatching(/^http:\/\/localhost:3000\/api\//)]);
  });
});

test("a public read has a time limit", async () => {
  const reach = vi.fn(async (_url: unknown, _init?: RequestInit) => Response.json({ items: [] }));
  const { read } = createVerbContext({
    apiKey: undefined,
    baseUrl: "http://localhost:3000",
    fetch: reach as typeof fetch,
  });
  await read("/api/v1/x402/discovery/resources");
  expect(reach.mock.calls[0]?.[1]?.signal).toBeInstanceOf(AbortSignal);
});

test.each([
  ["search", { items: 5 }],
  ["search", {}],
  ["search", "text"],
  ["check-receipt", { keys: 7 }],
])("%s is told of an address that is not Turnpike's by the answer %j", async (name, body) => {
  const context = createVerbContext({
    apiKey: undefined,
    baseUrl: "http://localhost:3000",
    fetch: async () => Response.json(body),
  });
  const errors: string[] = [];
  const receipt = JSON.stringify({ format: "jws", signature: "e30.e30.AA" });
  const rest = { readFile: async () => receipt, serveMcp: async () => {} };
  const args = name === "search" ? [name] : [name, "receipt.json"];
  const onFault = vi.fn();
  await runCommand(
    args,
    { ...context, ...rest, onFault },
    { out: () => {}, error: (text) => void errors.push(text) },
  );
  expect(onFault).not.toHaveBeenCalled();
  expect(errors.join("")).toMatch(
    /Check the address of the service|There are no keys to check with/,
  );
});
