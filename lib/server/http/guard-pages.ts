import "server-only";
import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { PaymentsError } from "@turnpike/payments/protocol";
import { LRUCache } from "lru-cache";
import { findSession } from "@/lib/domain/accounts/sessions.ts";
import type { Booted } from "../boot.ts";
import { cookieName, SESSION_COOKIE } from "../identity/session-cookie.ts";
import { atMost } from "../pipeline/at-most.ts";
import { errorAnswer } from "../pipeline/error-answer.ts";
import { requireOwnOrigin } from "../pipeline/is-own-origin.ts";
import { createTurns } from "../pipeline/turns.ts";
import { CLIENT_ADDRESS_HEADER } from "./client-address.ts";
import type { Handler } from "./http-server.ts";
import { limitBody, sendResponse } from "./limit-body.ts";

/** Signing in takes less. */
const MAX_BYTES = 64 * 1024;
/** A playground request with its body and headers takes less. */
const MAX_SIGNED_IN_BYTES = 4 * 1024 * 1024;
/** Pages that render at once, so that a paid call waits for no more than these. */
const MOST_RENDERING = 4;
/** Pages that wait for their turn. */
const MOST_WAITING = 200;
/** Pages of one address that wait. */
const MOST_WAITING_EACH = 50;
/** What the pages of one address may take of the thread at once, and of each second, before they are paced. */
const AT_EASE = { ms: 5_000, share: 1 / 3 };
/** How pages are paced: two at once, with a pause of so many times what one took keep to a third of the thread. */
const PACED = { running: 2, pause: 5 };
const MOST_ADDRESSES = 10_000;
/** A page that takes longer waits for its data, or for a slow reader. */
const RENDER_MS = 250;

type Guarded = Pick<Booted, "limits" | "pipeline" | "ports"> & {
  env: Pick<Booted["env"], "origin">;
};

/**
 * Counts each request for a page, its data or a server action by client address, renders a few at a time, and lets only
 * people signed in send more than a sign-in needs: Next reads a body before the page looks at who sent it. While payments are
 * under way, the pages of one address are paced.
 */
export function guardPages({ limits, pipeline, ports, env }: Guarded, pages: Handler): Handler {
  const name = `${cookieName(SESSION_COOKIE, env.origin)}=`;
  const turns = createTurns({ running: MOST_RENDERING });
  const visitors = new LRUCache<string, ReturnType<typeof createVisitor>>({
    ...atMost(MOST_ADDRESSES),
    memoMethod: () => createVisitor(() => pipeline.isPaying()),
  });
  let waiting = 0;
  let rendering = 0;

  /** Waits for a turn of the address and then for one of all, or answers null where too many wait. */
  async function waitForTurn(address: string) {
    if (waiting >= MOST_WAITING) return null;
    waiting += 1;
    const endOwn = await visitors.memo(address).take();
    const end = endOwn && (await turns.take());
    waiting -= 1;
    return end && { end, endOwn };
  }

  /** Waits until the page may render; its turn is over once it is sent. */
  async function takeTurn(address: string, response: ServerResponse): Promise<void> {
    const turn = await waitForTurn(address);
    if (!turn) {
      throw new PaymentsError("unavailable", "Too many pages are being loaded.", {
        retryAfterSecs: 1,
      });
    }
    rendering += 1;
    const since = performance.eventLoopUtilization();
    const finish = () => {
      clearTimeout(timer);
      response.off("close", finish);
      const tookMs = performance.eventLoopUtilization(since).active / rendering;
      rendering -= 1;
      turn.end();
      turn.endOwn(tookMs);
    };
    const timer = setTimeout(finish, RENDER_MS);
    if (response.closed) finish();
    else response.once("close", finish);
  }

  async function isSignedIn({ headers }: IncomingMessage): Promise<boolean> {
    const cookies = (headers.cookie ?? "").split(";").map((cookie) => cookie.trim());
    const token = cookies.find((cookie) => cookie.startsWith(name))?.slice(name.length);
    return token !== undefined && (await findSession(ports, token)) !== null;
  }

  async function guard(...[request, response]: Parameters<Handler>): Promise<void> {
    if (!isStaticFile(request.url ?? "")) {
      const address = String(request.headers[CLIENT_ADDRESS_HEADER]);
      await limits.pages(address);
      refuseForeignForm(request, env.origin);
      await takeTurn(address, response);
    }
    // Left while it waited: no one reads the page.
    if (response.closed) return;
    const isLarge = mayBeLarge(request) && (await isSignedIn(request));
    const maxBytes = isLarge ? MAX_SIGNED_IN_BYTES : MAX_BYTES;
    if (limitBody(request, response, { maxBytes, origin: env.origin })) {
      pages(request, response);
    }
  }

  return (request, response) => {
    guard(request, response).catch((cause) =>
      sendResponse(response, errorAnswer(cause, crypto.randomUUID(), ports)),
    );
  };
}

/** Next refuses a form of another site's page with a 500. */
function refuseForeignForm({ method, headers }: IncomingMessage, ownOrigin: string): void {
  const { origin, host = "" } = headers;
  if (method === "POST" && origin !== undefined)
    requireOwnOrigin(new Headers({ origin, host }), ownOrigin);
}

/** Whether Next serves a file for the target, or nothing. It reads `..` in any spelling, and that leads to pages. */
function isStaticFile(target: string): boolean {
  const [path = ""] = target.split("?", 1);
  return path.startsWith("/_next/static/") && !/\/\.|[\\#]|%(2e|2f|5c|25)/i.test(path);
}

/** More than anyone may send, or of unknown length. */
const mayBeLarge = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > MAX_BYTES;

/** The turns of one address, paced while payments are under way and its pages take too much of the thread. */
function createVisitor(isPaying: () => boolean) {
  let spentMs = 0;
  let since = 0;
  const isPaced = () => spentMs > AT_EASE.ms && isPaying();
  const running = () => (isPaced() ? PACED.running : MOST_RENDERING);
  const turns = createTurns({ running, waiting: MOST_WAITING_EACH });

  /** Counts what a page took of the thread, which is forgiven with time. */
  function spend(tookMs: number): void {
    const now = performance.now();
    spentMs = Math.max(0, spentMs - (now - since) * AT_EASE.share) + tookMs;
    since = now;
  }

  return {
    /** Answers what ends the turn of a page that took so much of the thread, or null where too many wait. */
    async take(): Promise<((tookMs: number) => void) | null> {
      const end = await turns.take();
      return (
        end &&
        ((tookMs) => {
          spend(tookMs);
          if (isPaced()) setTimeout(end, PACED.pause * tookMs);
          else end();
        })
      );
    },
  };
}
