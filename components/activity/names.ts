import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";

/** Names of plans and agents by their ids, as far as this account can see them. */
export type Names = {
  plans: Readonly<Record<string, string>>;
  agents: Readonly<Record<string, string>>;
};

/** A name, the shortened id where the name is not known, a dash where there is no id. */
export const nameOf = (names: Readonly<Record<string, string>>, id: string | undefined): string =>
  id === undefined ? "–" : (names[id] ?? shortenIdentifier(id));
