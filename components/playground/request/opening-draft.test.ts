import { expect, test } from "vitest";
import { keptDraft, openingDraft, restoredDraft } from "./opening-draft.ts";
import type { Preset } from "./preset.ts";
import { EMPTY_DRAFT, type RequestDraft } from "./request-draft.ts";

const preset: Preset = {
  ...{ id: "demo", label: "Demo agent", method: "PUT" },
  ...{ url: "https://demo.example/ask", body: '{"question":"?"}' },
};
const typed: RequestDraft = {
  ...EMPTY_DRAFT,
  url: "https://agent.example/ask",
  body: '{"mine":1}',
  headers: "accept: text/plain\nX-Api-Key: s3cr3t\n cookie : s3cr3t",
  auth: { kind: "bearer", user: "", secret: "s3cr3t" },
  token: { kind: "paste", token: "s3cr3t" },
  planId: "42",
  maxCredits: "3",
};
const { method, url } = typed;

test("a link’s request takes no body of an endpoint that it is not for", () => {
  expect(openingDraft({ presets: [preset], filled: { url } })).toMatchObject({ url });
  expect(openingDraft({ presets: [preset], filled: { url } })).not.toHaveProperty("body");
  const { body } = preset;
  expect(openingDraft({ presets: [preset], filled: {} })).toMatchObject({ method: "PUT", body });
  const demo = { url: preset.url, method: "PUT" };
  expect(
    openingDraft({ presets: [{ ...preset, id: "other", url }, preset], filled: demo }),
  ).toMatchObject({ ...demo, body });
});

test("what a visitor typed is there again after signing in, without its secrets", () => {
  const text = JSON.stringify(keptDraft(typed));
  expect(text).not.toContain("s3cr3t");
  const { body, planId, maxCredits } = typed;
  const headers = "accept: text/plain";
  expect(restoredDraft(text, { method, url })).toMatchObject({ body, headers, planId, maxCredits });
  expect(restoredDraft(text, { method, url })).not.toHaveProperty("token");
});

test.each([
  ["another request", JSON.stringify(keptDraft(typed)), { method, url: preset.url }],
  ["no request", JSON.stringify(keptDraft(typed)), {}],
  ["nothing kept", null, { method, url }],
  ["text that is no JSON", "{", { method, url }],
  ["JSON that is no request", "7", { method, url }],
])("nothing is restored: %s", (_, text, filled) => {
  expect(restoredDraft(text, filled)).toBeNull();
});
