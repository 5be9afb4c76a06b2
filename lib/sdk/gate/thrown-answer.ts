/** What frameworks read of what is thrown. */
type Thrown = {
  digest?: unknown;
  status?: unknown;
  statusCode?: unknown;
  statusMessage?: unknown;
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
 * that is marked as meant for the client. Throws a failure on: a status alone is what clients of other services throw, too. So is an
 * error whose answer can't be made, as with a header that is not valid: the app's log then shows that error.
 */
export function answerThrown(thrown: unknown): Response {
  let answer: Response | null = null;
  try {
    answer = findAnswer(thrown);
  } catch {}
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
    if (answer instanceof Response) return answer;
    // Nest's is the body, or its message.
    const statusCode = given.getStatus?.();
    return answerWith(
      statusCode,
      typeof answer === "string" ? { statusCode, message: answer } : answer,
    );
  }
  const status = given.status ?? given.statusCode;
  if (thrown instanceof Error) {
    // As http-errors, h3 1 and h3 2 mark theirs; HTTP clients have an error of the last name, too.
    const isOfH3V1 = "__h3_error__" in thrown.constructor;
    const isOfH3 = isOfH3V1 || given.name === "HTTPError";
    const isMeant = given.expose === true || (isOfH3 && "unhandled" in given && !given.unhandled);
    // h3 1 answers with the status message alone: what has failed is for the log.
    const isHidden = isOfH3V1 && Number(status) >= 500;
    const message = isHidden ? given.statusMessage : given.message;
    return isMeant ? answerWith(status, { message }, headersOf(given.headers)) : null;
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
  answerWith(status, undefined, [["location", location]]);

/** What an error has for its answer, such as `Retry-After` or `WWW-Authenticate`; nothing that describes another body. */
function headersOf(given: unknown): [string, string][] {
  if (typeof given !== "object" || given === null) return [];
  const entries: [string, unknown][] =
    given instanceof Headers ? [...given] : Object.entries(given);
  return entries
    .filter(([name]) => !/^(content|transfer|connection)/i.test(name))
    .flatMap(([name, value]) => [value].flat().map((each): [string, unknown] => [name, each]))
    .filter(([, value]) => /^(string|number)$/.test(typeof value))
    .map(([name, value]) => [name, `${value}`]);
}

function answerWith(
  status: unknown,
  body?: unknown,
  headers: [string, string][] = [],
): Response | null {
  if (typeof status !== "number" || !(status >= 300 && status <= 599)) return null;
  // The `Response` of some servers, as of Hono on Node, looks at headers only when they are sent.
  const init = { status, headers: new Headers(headers) };
  const isEmpty = body === undefined || status === 304;
  return isEmpty ? new Response(null, init) : Response.json(body, init);
}
