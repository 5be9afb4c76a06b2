import { expect, test } from "vitest";
import type { ActionError } from "../../forms/action-answer.ts";
import { revokeLink } from "./revoke-link.ts";

const refused = (code: ActionError["code"]): ActionError => ({
  ok: false,
  ...{ code, message: "No.", hint: "", details: [], requestId: "r-1" },
});

test("a link that is gone is revoked: its first answer was lost, or it expired", async () => {
  const done = { ok: true, data: null };
  expect(await revokeLink(async () => refused("not_found"), "s-1")).toEqual(done);
  expect(await revokeLink(async () => ({ ok: true, data: {} as never }), "s-1")).toEqual(done);
});

test("any other refusal stays one", async () => {
  const answer = refused("rate_limited");
  expect(await revokeLink(async () => answer, "s-1")).toBe(answer);
});
