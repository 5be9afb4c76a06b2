import type { Role, WhoActs } from "@turnpike/payments/protocol";
import { Tag } from "../../ui/values/tag.tsx";

const WORDS: Record<WhoActs, string> = {
  payer: "Customer",
  builder: "Builder",
  operator: "Turnpike",
};

export const isReader = (whoActs: WhoActs | undefined, role: Role): boolean =>
  whoActs === (role === "builder" ? "builder" : "payer");

/** Who can end what is wrong, in the reader's words. */
export const whoText = (whoActs: WhoActs | undefined, role: Role): string =>
  whoActs === undefined ? "No one" : isReader(whoActs, role) ? "You" : WORDS[whoActs];

/** Who must act: filled for the reader, outlined for others. */
export function WhoActsTag({ whoActs, role }: { whoActs: WhoActs | undefined; role: Role }) {
  if (!whoActs) return null;
  const isMine = isReader(whoActs, role);
  return (
    <Tag className={isMine ? "border-ink bg-ink text-bg" : undefined}>
      <span className="sr-only">Who must act: </span>
      {whoText(whoActs, role)}
    </Tag>
  );
}
