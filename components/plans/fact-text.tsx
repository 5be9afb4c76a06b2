/** A fact's text, with addresses in mono. */
export function FactText({ text }: { text: string }) {
  return text.split(/(0x[0-9a-fA-F]{40})/).map((part) =>
    part.startsWith("0x") ? (
      <code key={part} className="wrap-anywhere text-small">
        {part}
      </code>
    ) : (
      part
    ),
  );
}
