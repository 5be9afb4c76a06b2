import { Icon } from "../icon.tsx";
import { CopyButton } from "./copy-button.tsx";
import { shortenIdentifier } from "./shorten-identifier.ts";

export type AddressProps = {
  /** An EVM address or a transaction's hash. */
  value: string;
  /** What it is, for the copy button: "receiver". */
  name?: string;
  /** Said in place of the digits, which stay in the title: "Your account". */
  known?: string;
  /** Its page at an explorer; opens in a new tab. */
  explorerUrl?: string;
  isCopyable?: boolean;
};

/** An address: first six, last four, all of it in title and copy, and the way to its explorer. */
export function Address({
  value,
  name = "address",
  known,
  explorerUrl,
  isCopyable = true,
}: AddressProps) {
  const text = known ? (
    <span title={value}>{known}</span>
  ) : (
    <span title={value} className="font-mono text-small">
      {shortenIdentifier(value)}
    </span>
  );
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      {explorerUrl ? (
        <a
          href={explorerUrl}
          target="_blank"
          rel="noreferrer"
          className="link inline-flex min-h-6 items-center gap-1"
        >
          {text}
          <Icon name="external" className="size-3" />
          <span className="sr-only">, opens in a new tab</span>
        </a>
      ) : (
        text
      )}
      {isCopyable && <CopyButton text={value} label={`Copy ${name}`} />}
    </span>
  );
}
