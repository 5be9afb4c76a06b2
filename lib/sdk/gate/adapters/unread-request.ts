import { withoutHidden } from "../headers.ts";

/** What a request of `@hono/node-server` keeps while only its head has been read, or its signal. */
const UNREAD = ["incoming", "url", "method", "headers", "abortController"];

const GIVEN = Symbol("given");
const SHOWN = Symbol("shown");
type Kept = Request & Record<symbol, unknown>;
type ForWork = Kept & { [GIVEN]: Kept; [SHOWN]?: Headers };

/** Of each kind of request, what those for the work have in common: a prototype for each of them would make every call slow. */
const kinds = new WeakMap<object, { prototype: object; endsBy: symbol | undefined }>();

/**
 * The request as the work sees it, without a copy, where `@hono/node-server` reads it from Node only as far as it is used; any
 * other is `null`. It keeps what the other keeps, and so is the same request with other headers, also when it is cloned or
 * passed on.
 */
export function unreadForWork(request: Request): Request | null {
  const given = request as Kept;
  const symbols = Object.getOwnPropertySymbols(given);
  const kept = symbols.map(({ description = "" }) => description);
  const isUnread = kept.every((name) => UNREAD.includes(name.replace(/Key$/, "")));
  if (!isUnread || !kept.includes("incomingKey")) return null;
  const { prototype, endsBy } = kindOf(given);
  const forWork = Object.create(prototype) as ForWork;
  forWork[GIVEN] = given;
  for (const symbol of symbols) if (symbol !== endsBy) forWork[symbol] = given[symbol];
  return forWork;
}

function kindOf(given: Kept) {
  const base = Object.getPrototypeOf(given) as object;
  const known = kinds.get(base);
  if (known) return known;
  void given.signal;
  const endsBy = Object.getOwnPropertySymbols(given).find(
    ({ description }) => description === "abortControllerKey",
  );
  const prototype = Object.create(base, {
    headers: {
      get(this: ForWork) {
        this[SHOWN] ??= withoutHidden(this[GIVEN].headers);
        return this[SHOWN];
      },
    },
    // Both end with the same signal, which is made when one of them is asked for it.
    ...(endsBy && {
      [endsBy]: {
        get(this: ForWork) {
          void this[GIVEN].signal;
          return this[GIVEN][endsBy];
        },
      },
    }),
  });
  const kind = { prototype, endsBy };
  kinds.set(base, kind);
  return kind;
}

/** What an answer of `@hono/node-server` is made of while its body has not been asked for. */
type Unread = Record<symbol, [status: number, body: unknown, headers: unknown] | undefined>;

/** The text of an answer that `@hono/node-server` has made no stream of; `null` for any other. */
export function unreadText(response: Response): string | null {
  // Without a type it is sent as text, which only its stream's response says.
  if (!response.headers.has("content-type")) return null;
  const cache = Object.getOwnPropertySymbols(response).find(
    ({ description }) => description === "cache",
  );
  const text = cache && (response as unknown as Unread)[cache]?.[1];
  return typeof text === "string" ? text : null;
}
