import { expect, test } from "vitest";
import { accessFaults } from "./access-faults.ts";
import { type AccessDraft, accessChanges, NO_ACCESS } from "./agent-types.ts";

const access = (typed: Partial<AccessDraft>): AccessDraft => ({ ...NO_ACCESS, ...typed });
const missing = (typed: Partial<AccessDraft>) =>
  accessFaults(access(typed), true).map(({ path }) => path);
const headers = [{ name: "x-tenant", value: "7" }];

test("saved credentials stay while nothing is typed", () => {
  expect(missing({ authType: "BEARER" })).toEqual([]);
  expect(missing({ authType: "BASIC", headers: [{ name: "", value: "" }] })).toEqual([]);
});

test("a header that is added needs the secret again, because new credentials replace all", () => {
  expect(missing({ authType: "BEARER", headers })).toEqual(["access.token"]);
  expect(missing({ authType: "BEARER", headers, token: "t" })).toEqual([]);
  expect(missing({ authType: "BASIC", headers })).toEqual(["access.username", "access.password"]);
  expect(missing({ authType: "BASIC", username: "me" })).toEqual(["access.password"]);
});

test("only what was changed is sent", () => {
  expect(accessChanges(access({ authType: "BEARER" }), "BEARER")).toEqual({});
  expect(accessChanges(access({ authType: "NONE" }), "BEARER")).toEqual({ authType: "NONE" });
  // A token belongs to its type, which another tab may have changed.
  expect(accessChanges(access({ authType: "BEARER", token: "t" }), "BEARER")).toEqual({
    authType: "BEARER",
    token: "t",
  });
});
