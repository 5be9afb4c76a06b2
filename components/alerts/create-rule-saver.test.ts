import { expect, test, vi } from "vitest";
import { createRuleSaver } from "./create-rule-saver.ts";

const RULE = { kind: "credits-below" as const, threshold: 5, channels: ["email" as const] };
const refused = {
  ok: false as const,
  ...{ code: "invalid_input" as const, message: "Not an ID.", hint: "", details: [] },
  requestId: "",
};
const done = { ok: true as const, data: {} as never };

/** A form's saver whose first rule is refused. */
function setUp() {
  const setEmailAddress = vi.fn(async (_: { address: string }) => done);
  const createAlertRule = vi.fn(async () => done as typeof done | typeof refused);
  createAlertRule.mockResolvedValueOnce(refused);
  return {
    setEmailAddress,
    createAlertRule,
    save: createRuleSaver({ setEmailAddress, createAlertRule }),
  };
}

test("a rule that is corrected after it was refused sends no second link", async () => {
  const { setEmailAddress, createAlertRule, save } = setUp();
  expect(await save(RULE, "ada@example.com")).toBe(refused);
  expect(await save(RULE, "ada@example.com")).toBe(done);
  expect(setEmailAddress.mock.calls).toEqual([[{ address: "ada@example.com" }]]);
  expect(createAlertRule).toHaveBeenCalledTimes(2);
});

test("an address that is corrected gets a link", async () => {
  const { setEmailAddress, save } = setUp();
  await save(RULE, "ada@exmaple.com");
  await save(RULE, "ada@example.com");
  expect(setEmailAddress.mock.calls).toEqual([
    [{ address: "ada@exmaple.com" }],
    [{ address: "ada@example.com" }],
  ]);
});

test("an address that was refused is sent again, and its rule is not saved before", async () => {
  const { setEmailAddress, createAlertRule, save } = setUp();
  setEmailAddress.mockResolvedValueOnce(refused as never);
  expect(await save(RULE, "ada@example.com")).toBe(refused);
  expect(createAlertRule).not.toHaveBeenCalled();
  await save(RULE, "ada@example.com");
  expect(setEmailAddress).toHaveBeenCalledTimes(2);
});

test("a rule without mail sets no address", async () => {
  const { setEmailAddress, save } = setUp();
  await save(RULE);
  expect(setEmailAddress).not.toHaveBeenCalled();
});
