import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";

/** Names of plans and agents by their ids, as far as this account may know them. */
export type Names = {
  plans: Readonly<Record<string, string>>;
  agents: Readonly<Record<string, string>>;
};

/** The name of a thing, its shortened id where it is not known, a dash where there is none. */
export const nameOf = (names: Readonly<Record<string, string>>, id: string | undefined): string =>
  id === undefined ? "–" : (names[id] ?? shortenIdentifier(id));
