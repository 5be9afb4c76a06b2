/** A plan of one's own, as far as an agent's pages need it. */
export type PlanChoice = {
  planId: string;
  name: string;
  price: string;
  /** Credits a call takes: `1`, or `1 to 10`. */
  credits: string;
  /** The least a call takes, for code. */
  minCredits: string;
  isDraft: boolean;
};

export type AccessDraft = {
  authType: "NONE" | "BASIC" | "BEARER";
  username: string;
  password: string;
  token: string;
  headers: { key: number; name: string; value: string }[];
};

/** What a server action answers. */
export type Changed<T> =
  | { ok: true; data: T }
  | {
      ok: false;
      code: string;
      message: string;
      hint: string;
      details: { path: string; message: string }[];
      requestId: string;
    };

export const NO_ACCESS: AccessDraft = {
  authType: "NONE",
  username: "",
  password: "",
  token: "",
  headers: [],
};

/** Access as the service takes it: only what was typed. */
export function accessInput({ authType, username, password, token, headers }: AccessDraft) {
  const named = headers.filter(({ name }) => name.trim() !== "");
  return {
    authType,
    ...(authType === "BASIC" && { username, password }),
    ...(authType === "BEARER" && { token }),
    ...(named.length > 0 && {
      headers: Object.fromEntries(named.map(({ name, value }) => [name.trim(), value])),
    }),
  };
}
