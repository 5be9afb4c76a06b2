import { canParseUrl } from "@turnpike/payments/protocol";
import { EMPTY_DRAFT, type RequestDraft } from "./request-draft.ts";

/** What a request carries for one host alone. */
type Login = Pick<RequestDraft, "headers" | "auth" | "token">;

/** The logins typed for other hosts, by origin. They live as long as the page. */
export type Logins = Readonly<Record<string, Login>>;

const NO_TOKEN = { kind: "paste", token: "" } as const;

/** The origin of a typed URL; null while it is not a URL. */
export function originOf(url: string): string | null {
  const text = url.trim();
  return /^https?:/i.test(text) && canParseUrl(text) ? new URL(text).origin : null;
}

/** The request without what was typed for another host, or with what was typed for this one before. */
export const withLogin = (draft: RequestDraft, login: Login | undefined): RequestDraft => ({
  ...draft,
  headers: login?.headers ?? EMPTY_DRAFT.headers,
  auth: login?.auth ?? EMPTY_DRAFT.auth,
  ...(draft.token.kind === "paste" && {
    token: login?.token.kind === "paste" ? login.token : NO_TOKEN,
  }),
});

/** The logins with the one of a host that the request leaves, if it has any. */
export function keepLogin(logins: Logins, origin: string, draft: RequestDraft): Logins {
  const { [origin]: _, ...others } = logins;
  return hasLogin(draft) ? { ...others, [origin]: draft } : others;
}

const hasLogin = ({ headers, auth, token }: Login): boolean =>
  headers.trim() !== "" ||
  (auth.kind !== "none" && auth.user + auth.secret !== "") ||
  (token.kind === "paste" && token.token !== "");

/** Says what is not sent to this host because it was entered for another; empty once this one has its own. */
export function withheldText(draft: RequestDraft, logins: Logins): string {
  const here = originOf(draft.url);
  const other = Object.keys(logins).findLast((origin) => origin !== here);
  if (here === null || other === undefined || hasLogin(draft)) return "";
  return `The headers, login and token you entered for ${new URL(other).host} are not sent to this host.`;
}
