import * as z from "zod/mini";
import { RequestReport } from "../activity.ts";
import { defineCalls, serveCalls } from "./operation.ts";

export const requestReports = /* @__PURE__ */ defineCalls({
  /** Reports at most 200 requests that a gate saw. The same `batchId` again changes nothing. */
  reportRequests: {
    route: "POST /requests/report",
    repeatKey: "batchId",
    input: RequestReport,
    output: z.object({ accepted: z.number() }),
  },
});

export const requestReportOperations = /* @__PURE__ */ serveCalls(
  { name: "requests", section: "Requests", scope: "activity" },
  requestReports,
  {
    reportRequests: {
      scope: "calls",
      summary: "Report the requests your gate saw to the activity list; moves no credits",
      tenancy: "own rows",
      sample: ({ planId, agentId, freshId, now }) => ({
        batchId: freshId(),
        requests: [
          {
            agentRequestId: freshId(),
            at: now,
            method: "POST",
            path: "/ask",
            planId,
            agentId,
            httpStatus: 402,
            moneyStatus: "refused",
            reason: "expired_token",
            verifyMs: 1.5,
            workMs: 20,
            settleMs: 2,
          },
        ],
      }),
    },
  },
);
