import { expect, test } from "vitest";
import { Payments } from "../client/payments.ts";
import { apiKeyOf, BUILDER, createFakeService } from "../test-support/fake-service.ts";
import type { ToolResult } from "./tool-result.ts";
import { type ToolExtra, withPayment } from "./with-payment.ts";

const { fetch } = createFakeService();
const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch });
const pay = (tool: string) =>
  withPayment<[ToolExtra], ToolResult>(
    payments,
    { server: "reader", tool, planId: "42" },
    () => ({ content: [] }),
    { report: false },
  );

test.each(["count", "weather.today", "a/b", "a_b-c"])(
  "a tool named %s is the last part of its URL",
  async (tool) => {
    const { structuredContent } = await pay(tool)({} as ToolExtra);
    expect(structuredContent).toMatchObject({ resource: { url: `mcp://reader/tools/${tool}` } });
  },
);

test.each(["a?b", "a#b"])(
  "a tool named %s is refused: its URL would be that of another",
  (tool) => {
    expect(() => pay(tool)).toThrow(expect.objectContaining({ code: "invalid_input" }));
  },
);
