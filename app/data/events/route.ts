import type { NextRequest } from "next/server";
import { readCookie } from "@/app/_session/cookies.ts";
import { findCaller } from "@/app/_session/session.ts";
import { sessionLasts } from "@/lib/domain/accounts/sessions.ts";
import { SESSION_COOKIE } from "@/lib/server/identity/session-cookie.ts";
import { errorAnswer } from "@/lib/server/pipeline/error-answer.ts";
import { getRunning } from "@/lib/server/running.ts";

/** The events of the account that is signed in, for a page that is visible. */
export async function GET(request: NextRequest): Promise<Response> {
  const requestId = crypto.randomUUID();
  const { events, ports } = await getRunning();
  try {
    const caller = await findCaller({ isUse: false });
    const token = (await readCookie(SESSION_COOKIE)) ?? "";
    return await events.openPage({
      caller,
      requestId,
      after: request.headers.get("last-event-id") ?? undefined,
      isHead: request.method === "HEAD",
      isStill: () => sessionLasts(ports, token),
    });
  } catch (cause) {
    return errorAnswer(cause, requestId, ports);
  }
}
