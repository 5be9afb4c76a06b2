import { MEASURED } from "./measured.ts";

/** Figures of the last proof run, each with the command that reproduces it. */
export function Measured() {
  return (
    <section aria-labelledby="measured" className="border-line border-t py-10 lg:py-16">
      <div className="wrap">
        <h2 id="measured" className="text-h1">
          What we measured
        </h2>
        <p className="mt-1 text-ink-2">Each figure comes with the command that reproduces it.</p>
        <ul className="mt-6 grid rounded-card border border-line bg-surface lg:grid-cols-3">
          {MEASURED.map(({ row, value, what, how }) => (
            <li
              key={row}
              className="grid content-start gap-1.5 border-line p-6 max-lg:not-first:border-t lg:not-first:border-s"
            >
              <span className="text-[2.5rem] leading-[3rem] font-semibold tracking-[-0.02em] tabular-nums">
                {value}
              </span>
              <span className="font-medium">{what}</span>
              <span className="max-w-[56ch] text-ink-2 text-note">{how}</span>
              <code className="wrap-anywhere mt-2 text-small">npm run proof -- {row}</code>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
