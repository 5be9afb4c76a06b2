/** What frameworks read of what is thrown. */
type Thrown = {
  digest?: unknown;
  status?: unknown;
  statusCode?: unknown;
  location?: unknown;
  body?: unknown;
  name?: unknown;
  message?: unknown;
  expose?: unknown;
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
    // As http-errors, h3 1 and h3 2 mark theirs; HTTP clients give an error of the last name no status.
    const isMeant =
      given.expose === true || "__h3_error__" in thrown.constructor || given.name === "HTTPError";
    return isMeant ? answerWith(status, { message: given.message }) : null;
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
  return answerWith(Number(status));
}

const redirectTo = (location: string, status: unknown): Response | null =>
  answerWith(status, undefined, { location });

function answerWith(
  status: unknown,
  body?: unknown,
  headers: Record<string, string> = {},
): Response | null {
  if (typeof status !== "number" || !(status >= 300 && status <= 599)) return null;
  const init = { status, headers };
  return body === undefined ? new Response(null, init) : Response.json(body, init);
}
