import { readBody } from "./request-body.ts";

const HEADERS = ["x-http-method-override", "x-http-method", "x-method-override"];
const MEMBER = "_method";
const MAX_FORM_BYTES = 1024 * 1024;

/**
 * Whether a request asks the app to run it under another method: by a header, or by `_method` in its query or form. `null`
 * when it cannot, so that most requests are recognized at a glance. A form that cannot be read counts as one that does.
 */
export function findMethodOverride(request: Request): (() => Promise<boolean>) | null {
  const { headers, url } = request;
  if (HEADERS.some((name) => headers.has(name)) || namesMethod(queryOf(url))) {
    return async () => true;
  }
  const type = headers.get("content-type") ?? "";
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)/i.test(type)) return null;
  return async () => {
    if (headers.has("content-encoding")) return true;
    // Middleware that has read the form has also acted on it.
    if (request.bodyUsed) return false;
    const bytes = await readBody(request, MAX_FORM_BYTES);
    if ("fault" in bytes) return true;
    const text = new TextDecoder().decode(bytes);
    // A parser before the gate leaves a form as JSON; a multipart form names its members in quotes, or not.
    return namesMethod(text) || /"_method"|name=_method\b/i.test(text);
  };
}

const queryOf = (url: string) => /\?([^#]*)/.exec(url)?.[1] ?? "";

const namesMethod = (form: string): boolean =>
  /_method/i.test(form.replace(/%5f/gi, "_")) &&
  Array.from(new URLSearchParams(form).keys()).some((name) => name.startsWith(MEMBER));
