import { CopyButton } from "./copy-button.tsx";
import { shortenIdentifier } from "./shorten-identifier.ts";

export type IdentifierProps = {
  value: string;
  /** What it is, for the copy button: "plan ID". */
  name: string;
};

/** A shortened id. The title and the copy button have all of it. */
export function Identifier({ value, name }: IdentifierProps) {
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap font-mono text-small">
      <span title={value}>{shortenIdentifier(value)}</span>
      <CopyButton text={value} label={`Copy ${name}`} />
    </span>
  );
}
