import pictures from "./pictures.json" with { type: "json" };

type Box = [x: number, y: number, width: number, height: number, label: string, look?: string];
type Arrow = [x1: number, y1: number, x2: number, y2: number, label?: string, place?: string];
type Drawing = {
  size: [width: number, height: number];
  boxes: Box[];
  arrows: Arrow[];
  /** Around boxes that belong together. */
  frames?: Box[];
  notes?: [x: number, y: number, text: string][];
};

const DRAWINGS: Readonly<Record<string, Drawing>> = pictures as never;

const PICTURES: readonly string[] = Object.keys(DRAWINGS);

/** A drawing of boxes and arrows in the theme's colors, with a caption that says the same. */
export function Picture({ name, caption }: { name: string; caption: string }) {
  const drawing = DRAWINGS[name];
  if (!drawing) throw new Error(`There is no picture ${name}. Use ${PICTURES.join(", ")}.`);
  const { size, boxes, arrows, frames = [], notes = [] } = drawing;
  return (
    <figure className="rounded-card border border-line bg-surface">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must reach what scrolls. */}
      <section aria-label={caption} tabIndex={0} className="overflow-x-auto p-4 -outline-offset-2">
        <svg
          viewBox={`0 0 ${size[0]} ${size[1]}`}
          aria-hidden="true"
          className="mx-auto block w-full min-w-140 max-w-160 fill-none text-ink"
        >
          <defs>
            <marker
              id={`head-${name}`}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="8"
              markerHeight="8"
              orient="auto"
            >
              <path d="M1 1 7 4 1 7" className="stroke-ink-2" />
            </marker>
          </defs>
          {frames.map(([x, y, width, height, label]) => (
            <g key={label}>
              <rect
                {...{ x, y, width, height }}
                rx={8}
                strokeDasharray="4 3"
                className="stroke-line-control"
              />
              <text x={x + 12} y={y + 15} className="fill-ink-2 text-tick">
                {label}
              </text>
            </g>
          ))}
          {boxes.map(([x, y, width, height, label, look]) => (
            <g key={`${x} ${y}`}>
              <rect
                {...{ x, y, width, height }}
                rx={6}
                className={look ? "fill-tint-accent stroke-accent" : "fill-bg stroke-line-control"}
              />
              <text
                x={x + width / 2}
                y={y + height / 2 + 4.5}
                textAnchor="middle"
                className="fill-ink text-label"
              >
                {label}
              </text>
            </g>
          ))}
          {arrows.map((arrow) => (
            <ArrowLine key={arrow.join()} arrow={arrow} head={`url(#head-${name})`} />
          ))}
          {notes.map(([x, y, text]) => (
            <text key={text} x={x} y={y} textAnchor="middle" className="fill-ink-2 text-tick">
              {text}
            </text>
          ))}
        </svg>
      </section>
      <figcaption className="border-line border-t px-4 py-2.5 text-ink-2 text-note">
        {caption}
      </figcaption>
    </figure>
  );
}

function ArrowLine({ arrow, head }: { arrow: Arrow; head: string }) {
  const [x1, y1, x2, y2, label, place] = arrow;
  return (
    <g>
      <line {...{ x1, y1, x2, y2 }} markerEnd={head} className="stroke-ink-2" />
      {label && (
        <text {...labelPlace([x1, y1, x2, y2], place)} className="fill-ink-2 text-tick">
          {label}
        </text>
      )}
    </g>
  );
}

function labelPlace([x1, y1, x2, y2]: [number, number, number, number], place?: string) {
  if (place === "right") return { x: Math.max(x1, x2) + 10, y: (y1 + y2) / 2 + 4 };
  const y = (y1 + y2) / 2 + (place === "below" ? 15 : -7);
  return { x: (x1 + x2) / 2, y, textAnchor: "middle" as const };
}
