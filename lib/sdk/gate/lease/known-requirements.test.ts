import { expect, test } from "vitest";
import { planOf } from "../../test-support/fake-service.ts";
import { buildRequirement } from "../requirement.ts";
import { compileRoutes, type RouteConfig } from "../routes.ts";
import { buildOnce } from "./known-requirements.ts";

function setUp(config: Partial<RouteConfig> = {}) {
  let plan = Promise.resolve(planOf("42"));
  let builds = 0;
  const build = buildOnce(async (...given) => {
    builds += 1;
    return buildRequirement(...given);
  });
  const [route] = compileRoutes({ "POST /ask": { planId: "42", ...config } }, []);
  const service = {
    readPlan: () => plan,
    readPricedPlan: () => plan,
    environment: "sandbox" as const,
    logger: { error: () => {} },
  };
  return {
    ask: (resource = "http://localhost/ask") => {
      if (!route) throw new Error("There is no route.");
      const call = { resource, price: () => 3n };
      return build(route, call, service, () => {});
    },
    publish: () => {
      plan = Promise.resolve(planOf("42", { minAmount: 5n }));
    },
    builds: () => builds,
  };
}

test("the requirement of a fixed price is built once for each URL, whatever its query", async () => {
  const { ask, builds } = setUp();
  const known = await ask();
  for (const query of ["", "?q=1", "?q=2", "#a"])
    expect(await ask(`http://localhost/ask${query}`)).toBe(known);
  expect((await ask("http://localhost/ASK")).resource?.url).toBe("http://localhost/ASK");
  expect(builds()).toBe(2);
});

test("a plan that has changed since is a new requirement", async () => {
  const { ask, publish } = setUp();
  expect((await ask()).accepts[0]?.amount).toBe("1");
  publish();
  expect((await ask()).accepts[0]?.amount).toBe("5");
});

test("a price that depends on the request is asked for each time", async () => {
  const { ask, builds } = setUp({ credits: () => 3n });
  expect((await ask()).accepts[0]?.amount).toBe("3");
  await ask();
  expect(builds()).toBe(2);
});

test("no one can change the requirement that later calls get", async () => {
  const { ask } = setUp();
  expect(Object.isFrozen((await ask()).accepts[0]?.extra)).toBe(true);
});

test("URLs that callers make up don't pile up", async () => {
  const { ask, builds } = setUp();
  for (let count = 0; count <= 200; count++) await ask(`http://localhost/ask/${count}`);
  await ask("http://localhost/ask/0");
  expect(builds()).toBe(202);
});
