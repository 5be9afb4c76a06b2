/** What frameworks read of what is thrown. */
type Thrown = {
  digest?: unknown;
  status?: unknown;
  statusCode?: unknown;
  location?: unknown;
  body?: unknown;
  name?: unknown;
  message?: unknown;
  headers?: unknown;
  expose?: unknown;
  unhandled?: unknown;
  getResponse?: () => unknown;
  getStatus?: () => unknown;
};

/**
 * The answer that a framework would give to what its app throws on purpose: a response, `redirect()`, `notFound()`, or an error
 * that is marked as meant for the client. Throws a failure on: a status alone is what clients of other services throw, too.
 */
export function answerThrown(thrown: unknown): Response {
  const answer = findAnswer(thrown);
  if (!answer) throw thrown;
  return answer;
}

function findAnswer(thrown: unknown): Response | null {
  // One with a URL was fetched from another service.
  if (thrown instanceof Response) return thrown.url === "" ? thrown : null;
  if (typeof thrown !== "object" || thrown === null) return null;
  const given = thrown as Thrown;
  if (typeof given.digest === "string") return answerOfNext(given.digest);
  if (typeof given.getResponse === "function") {
    const answer = given.getResponse();
    // Nest's is the body.
    return answer instanceof Response ? answer : answerWith(given.getStatus?.(), answer);
  }
  const status = given.status ?? given.statusCode;
  if (thrown instanceof Error) {
    // As http-errors, h3 1 and h3 2 mark theirs; HTTP clients have an error of the last name, too.
    const isOfH3 = "__h3_error__" in thrown.constructor || given.name === "HTTPError";
    const isMeant = given.expose === true || (isOfH3 && "unhandled" in given && !given.unhandled);
    const { message, headers } = given;
    return isMeant ? answerWith(status, { message }, headersOf(headers)) : null;
  }
  // SvelteKit's are no errors, but of a class: a plain object is what apps make of another service's answer.
  if (Object.getPrototypeOf(thrown) === Object.prototype) return null;
  if (typeof given.location === "string") return redirectTo(given.location, status);
  return given.body === undefined ? null : answerWith(status, given.body);
}

/** `NEXT_REDIRECT;replace;/to;307;`, whose URL may have semicolons, or `NEXT_HTTP_ERROR_FALLBACK;404`. */
function answerOfNext(digest: string): Response | null {
  const [, location = "", redirect] = /^NEXT_REDIRECT;\w+;(.*);(\d+);$/.exec(digest) ?? [];
  if (redirect) return redirectTo(location, Number(redirect));
  const [, status] = /^NEXT_HTTP_ERROR_FALLBACK;(\d+)$/.exec(digest) ?? [];
  // Next 14 names it otherwise.
  return answerWith(digest === "NEXT_NOT_FOUND" ? 404 : Number(status));
}

const redirectTo = (location: string, status: unknown): Response | null =>
  answerWith(status, undefined, { location });

/** What an error has for its answer, such as `Retry-After` or `WWW-Authenticate`; nothing that describes another body. */
function headersOf(given: unknown): Record<string, string> {
  if (typeof given !== "object" || given === null) return {};
  const entries = given instanceof Headers ? [...given] : Object.entries(given);
  const isOwn = ([name, value]: [string, unknown]) =>
    /^(string|number)$/.test(typeof value) && !/^(content|transfer|connection)/i.test(name);
  return Object.fromEntries(entries.filter(isOwn).map(([name, value]) => [name, `${value}`]));
}

function answerWith(
  status: unknown,
  body?: unknown,
  headers: Record<string, string> = {},
): Response | null {
  if (typeof status !== "number" || !(status >= 300 && status <= 599)) return null;
  const init = { status, headers };
  const isEmpty = body === undefined || status === 304;
  return isEmpty ? new Response(null, init) : Response.json(body, init);
}
