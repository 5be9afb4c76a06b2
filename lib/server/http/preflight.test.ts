import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, TEST_ORIGIN, type TestService } from "../testing/test-service.ts";

const PAGE = "https://page.example";

describe.each(ruleStores().slice(0, 1))("calls from a page of another site", ({ open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterAll(() => database.close());

  const preflight = (path: string, method: string) =>
    service.fetch(`${TEST_ORIGIN}/api/v1${path}`, {
      method: "OPTIONS",
      headers: {
        origin: PAGE,
        "access-control-request-method": method,
        "access-control-request-headers": "authorization,content-type",
      },
    });

  test.each([
    ["/x402/verify", "POST"],
    ["/protocol/plans/42", "GET"],
    ["/protocol/agents/7/plan/42", "DELETE"],
    ["/openapi.json", "GET"],
  ])("are allowed to %s, without credentials", async (path, method) => {
    const { status, headers } = await preflight(path, method);
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-methods")?.split(",")).toContain(method);
    expect(headers.get("access-control-allow-headers")).toContain("authorization");
    expect(headers.has("access-control-allow-credentials")).toBe(false);
  });

  test.each([
    ["/console/figures/earnings", "GET"],
    ["/figures/earnings", "GET"],
    ["/sandbox/faucet", "POST"],
    ["/health", "GET"],
  ])("are not allowed to %s", async (path, method) => {
    const { status, headers } = await preflight(path, method);
    expect(status).toBe(404);
    expect(headers.has("access-control-allow-origin")).toBe(false);
  });

  test("may read an answer and an error, and no call takes a cookie for a key", async () => {
    const headers = { origin: PAGE, cookie: "turnpike-session=anything" };
    const answers = await Promise.all(
      ["/protocol/plans/42", "/protocol/plans", "/x402/supported", "/openapi.json"].map((path) =>
        service.fetch(`${TEST_ORIGIN}/api/v1${path}`, { headers }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 401, 200, 200]);
    for (const answer of answers) {
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-expose-headers")).toContain("x-request-id");
    }
  });
});
