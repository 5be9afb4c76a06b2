/** A fact's text; what the machine reads stands in mono. */
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
