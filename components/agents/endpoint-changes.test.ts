import { expect, test } from "vitest";
import { endpointChanges, isNoChange, withEndpointChanges } from "./endpoint-changes.ts";

const ask = { POST: "https://agent.example/ask" };
const list = { GET: "https://agent.example/list" };
const buy = { POST: "https://agent.example/buy" };

test("an edit of an old page keeps the endpoints that another tab added and removed", () => {
  const edit = endpointChanges(
    { endpoints: [ask, list], openEndpoints: [] },
    { endpoints: [ask], openEndpoints: [list.GET] },
  );
  const now = { endpoints: [list, buy], openEndpoints: ["https://agent.example/health"] };
  expect(withEndpointChanges(now, edit)).toEqual({
    endpoints: [buy],
    openEndpoints: ["https://agent.example/health", list.GET],
  });
});

test("the order of endpoints is no change", () => {
  const change = endpointChanges(
    { endpoints: [ask, list], openEndpoints: [] },
    { endpoints: [list, ask], openEndpoints: [] },
  );
  expect(isNoChange(change)).toBe(true);
  expect(isNoChange({ ...change, open: { added: ["/health"], removed: [] } })).toBe(false);
});
