import { ExampleSection } from "./example-section.tsx";

const COLOURS = [
  ["bg-bg", "bg", "page"],
  ["bg-surface", "surface", "cards, inputs"],
  ["bg-sunken", "sunken", "code, table head"],
  ["bg-line", "line", "hairline"],
  ["bg-line-control", "line-control", "input border"],
  ["bg-ink", "ink", "text"],
  ["bg-ink-2", "ink-2", "secondary"],
  ["bg-accent", "accent", "action, focus"],
  ["bg-settled", "settled", "settled"],
  ["bg-unsettled", "unsettled", "unsettled, unknown"],
  ["bg-refused", "refused", "declined, danger"],
  ["bg-challenged", "challenged", "payment required"],
  ["bg-live", "live", "live line only"],
] as const;

const TYPES = [
  ["display", "text-display", "Every call, paid", "32/40 600"],
  ["h1", "text-h1", "Delegations", "24/32 600"],
  ["h2", "text-h2", "Latest requests", "18/26 600"],
  ["h3", "text-h3", "Request without payment", "15/22 600"],
  ["body", "text-body", "Response delivered, but payment is not confirmed.", "14/20 400"],
  ["label", "text-label", "Credits granted", "13/18 500"],
  ["note", "text-note", "A new delegation can use them.", "13/18 400"],
  ["small", "text-small", "as of 14:02:11", "12/16 400"],
  ["figure", "text-figure tabular-nums", "1,284", "28/32 600 tabular"],
  ["mono", "font-mono text-mono", "0x4c1B…6441", "13/20 400"],
] as const;

export function GroundExamples() {
  return (
    <>
      <ExampleSection
        id="colour"
        title="Colour"
        about="One accent. Five payment colours, each with its own icon and chart pattern."
      >
        <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-5">
          {COLOURS.map(([ground, name, use]) => (
            <li key={name} className="flex items-center gap-3">
              <span className={`size-9 shrink-0 rounded-control border border-line ${ground}`} />
              <span className="grid text-note">
                {name}
                <span className="text-ink-2 text-small">{use}</span>
              </span>
            </li>
          ))}
        </ul>
      </ExampleSection>
      <ExampleSection
        id="type"
        title="Type"
        about="Geist Sans and Geist Mono, with tabular figures where numbers are compared."
      >
        <ul>
          {TYPES.map(([role, look, text, measure]) => (
            <li
              key={role}
              className="grid grid-cols-[64px_minmax(0,1fr)] items-baseline gap-x-4 border-line py-2 not-last:border-b sm:grid-cols-[80px_minmax(0,1fr)_auto]"
            >
              <span className="text-ink-2 text-small">{role}</span>
              <span className={look}>{text}</span>
              <span className="text-ink-2 text-small tabular-nums max-sm:hidden">{measure}</span>
            </li>
          ))}
        </ul>
      </ExampleSection>
    </>
  );
}
