import { describe, expect, test } from "vitest";
import { activityHref, activityQuery, requestQuery } from "./activity-filter.ts";
import { readActivityFilter } from "./read-activity-filter.ts";

const SINCE = "2026-11-21T13:00:00.000Z";

describe("the filter of the activity list", () => {
  test("survives a round trip through its URL", () => {
    const filter = readActivityFilter(
      {
        role: "subscriber",
        range: "7d",
        plan: "42",
        agent: "agent-1",
        money: "settled,unknown",
        http: "4xx",
        payer: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
        since: SINCE,
        q: "req_1",
      },
      "builder",
    );
    const again = Object.fromEntries(new URLSearchParams(activityQuery(filter)));
    expect(readActivityFilter(again, "builder")).toEqual(filter);
    expect(filter.payer).toBe("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
  });

  test("ignores invalid values", () => {
    const filter = readActivityFilter(
      { role: "owner", range: "1y", money: "paid", http: "999", payer: "0x1", since: "today" },
      "subscriber",
    );
    expect(filter).toEqual({ role: "subscriber", range: "24h", money: [] });
  });

  test("reads the first of a repeated parameter", () => {
    expect(readActivityFilter({ plan: ["7", "8"] }, "builder").planId).toBe("7");
  });

  test("changes or clears one member", () => {
    const filter = readActivityFilter({ plan: "42", http: "402" }, "builder");
    expect(activityHref(filter, { httpStatus: undefined })).toBe(
      "/activity?role=builder&range=24h&plan=42",
    );
  });

  test("queries from the start of the range, or from the picked time", () => {
    const filter = readActivityFilter({ money: "settled" }, "builder");
    expect(requestQuery(filter, SINCE)).toEqual({
      role: "builder",
      since: SINCE,
      moneyStatus: ["settled"],
    });
    const picked = { ...filter, since: "2026-11-21T14:00:00.000Z" };
    expect(requestQuery(picked, SINCE).since).toBe("2026-11-21T14:00:00.000Z");
  });
});
