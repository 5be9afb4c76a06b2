import { badRequest } from "./bad-request.ts";

/** 400 for a host or path that servers could read in more than one way. */
export const ambiguousPath = () =>
  badRequest(
    "undecodable path",
    "The host or path is ambiguous: it is too long, cannot be decoded, has dot segments, semicolons, encoded separators or two slashes at its start, or is that of another route but for its letter case or a slash at its end.",
  );

/** 400 for a request on a gated path that asks the app to run another method than its own. */
export const overriddenMethod = () =>
  badRequest(
    "method override",
    "The method of a paid path cannot be overridden by a header, or by `_method` in the query or a form. Send the request with the method you mean.",
  );
