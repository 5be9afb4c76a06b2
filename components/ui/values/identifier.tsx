import { CopyButton } from "./copy-button.tsx";
import { shortenIdentifier } from "./shorten-identifier.ts";

export type IdentifierProps = {
  value: string;
  /** What it is, for the copy button: "plan id". */
  name: string;
  isCopyable?: boolean;
};

/** An id: its first six and last four characters, the whole of it in title and copy. */
export function Identifier({ value, name, isCopyable = true }: IdentifierProps) {
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap font-mono text-small">
      <span title={value}>{shortenIdentifier(value)}</span>
      {isCopyable && <CopyButton text={value} label={`Copy ${name}`} />}
    </span>
  );
}
