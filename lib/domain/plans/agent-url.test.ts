import { expect, test } from "vitest";
import { matchesEndpoint } from "./agent-url.ts";

const matches = (registered: string, asked: string) =>
  matchesEndpoint([{ verb: "POST", url: `https://agent.test${registered}` }], "POST", asked);

test("a path that was registered percent-encoded is the path that is asked for", () => {
  expect(matches("/caf%C3%A9/two%20words", "/caf%C3%A9/two%20words")).toBe(true);
  expect(matches("/caf%C3%A9", "https://agent.test/café")).toBe(true);
  expect(matches("/café", "/caf%C3%A9")).toBe(true);
  expect(matches("/caf%C3%A9", "/cafe")).toBe(false);
});

test("an encoded colon is no parameter, and a malformed encoding only itself", () => {
  expect(matches("/%3Aid", "/other")).toBe(false);
  expect(matches("/%3Aid", "/:id")).toBe(true);
  expect(matches("/:id", "/other")).toBe(true);
  expect(matches("/%zz", "/zz")).toBe(false);
});
