/** One of the account's plans, as far as an agent's pages need it. */
export type PlanChoice = {
  planId: string;
  name: string;
  price: string;
  /** Credits a call takes: `1`, `1 to 10`, or `No credits`. */
  credits: string;
  /** The fewest credits a call takes, for code samples. */
  minCredits: string;
  isDraft: boolean;
  /** It can no longer be ordered; agents that are linked to it still accept its credits. */
  isArchived: boolean;
};

export type AccessDraft = {
  authType: "NONE" | "BASIC" | "BEARER";
  username: string;
  password: string;
  token: string;
  headers: { name: string; value: string }[];
};

export const AUTH_TYPE_LABELS = {
  NONE: "No authentication",
  BASIC: "Basic",
  BEARER: "Bearer",
} as const;

export const NO_ACCESS: AccessDraft = {
  authType: "NONE",
  username: "",
  password: "",
  token: "",
  headers: [],
};

const namedHeaders = ({ headers }: AccessDraft) => headers.filter(({ name }) => name.trim() !== "");

/** Access as the service expects it, without the fields that were left empty. */
export function accessInput(access: AccessDraft) {
  const { authType, username, password, token } = access;
  const named = namedHeaders(access);
  return {
    authType,
    ...(authType === "BASIC" && { username, password }),
    ...(authType === "BEARER" && { token }),
    ...(named.length > 0 && {
      headers: Object.fromEntries(named.map(({ name, value }) => [name.trim(), value])),
    }),
  };
}

/** Whether credentials of the chosen type were typed, which replace all that are saved. */
export function hasSecrets(access: AccessDraft): boolean {
  const { authType: _, ...secrets } = accessInput(access);
  return Object.values(secrets).some((secret) => secret !== "");
}

/** What differs from the saved access: left empty, saved credentials stay, and so does a type that another tab chose. */
export const accessChanges = (access: AccessDraft, savedType: AccessDraft["authType"]) =>
  access.authType !== savedType || hasSecrets(access) ? accessInput(access) : {};
