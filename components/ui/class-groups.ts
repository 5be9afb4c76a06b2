/** What a utility sets; `drops` are the groups it sets along with its own. */
export type ClassGroup = { group: string; drops?: readonly string[] };

// The whole of Tailwind would weigh 8 KB; these are the utilities our pages override. The test holds
// them against tailwind-merge for every class that stands in the sources.
const WORDS = spread({
  display: "block inline-block inline flex inline-flex grid inline-grid table contents hidden",
  position: "static relative absolute sticky fixed",
  line: "underline no-underline line-through",
  visibility: "visible invisible",
  "flex-direction": "flex-col flex-col-reverse flex-row flex-row-reverse",
  weight: "font-normal font-medium font-semibold font-bold",
  family: "font-mono font-sans",
  "text-align": "text-start text-end text-left text-right text-center",
  "text-wrap": "text-balance text-pretty",
  "text-size":
    "text-display text-h1 text-h2 text-h3 text-body text-label text-note text-small text-figure text-mono text-tick",
  "border-style": "border-dashed border-dotted border-solid",
  "outline-width": "outline outline-1 outline-2",
  "outline-style": "outline-none",
  "border-collapse": "border-collapse border-separate",
  flex: "flex-1 flex-auto flex-none",
  shrink: "shrink shrink-0",
  grow: "grow grow-0",
  basis: "basis-full",
  "stroke-width": "stroke-1 stroke-2",
});

/** `px-2`, `-mt-px`, `min-h-(--row)`: what stands before the value is the group. */
const BEFORE_VALUES = new Set(
  (
    "m mx my mt mb ms me ml mr p px py pt pb ps pe pl pr gap gap-x gap-y size w h min-w min-h max-w max-h " +
    "inset inset-x inset-y top bottom start end left right z order leading opacity " +
    "grid-cols grid-rows col-span row-span col-start row-start items content self justify justify-items justify-self " +
    "whitespace wrap align cursor pointer-events overflow overflow-x overflow-y line-clamp " +
    "rounded rounded-s rounded-e shadow animate transition rotate translate-x " +
    "bg fill stroke text outline outline-offset border border-s border-t"
  ).split(" "),
);

const DROPS: Record<string, string> = {
  m: "mx my mt mb ms me ml mr",
  mx: "ms me ml mr",
  my: "mt mb",
  p: "px py pt pb ps pe pl pr",
  px: "ps pe pl pr",
  py: "pt pb",
  gap: "gap-x gap-y",
  size: "w h",
  inset: "inset-x inset-y top bottom start end left right",
  "inset-x": "start end left right",
  "inset-y": "top bottom",
  overflow: "overflow-x overflow-y",
  "line-clamp": "display overflow",
  rounded: "rounded-s rounded-e",
  "text-size": "leading",
  flex: "basis grow shrink",
  border: "border-s border-t",
  "border-width":
    "border-x-width border-y-width border-s-width border-e-width border-t-width border-b-width",
  "border-y-width": "border-t-width border-b-width",
};

const BORDER = /^border(?:-([xysetb]))?(?:-(?:\d+|\[[\d.]+px\]))?$/;

/** The group of a utility without its conditions; undefined for what is no utility we override. */
export function groupOf(utility: string): ClassGroup | undefined {
  const group = nameOf(utility);
  const drops = group === undefined ? undefined : DROPS[group];
  return group === undefined ? undefined : { group, ...(drops && { drops: drops.split(" ") }) };
}

function nameOf(utility: string): string | undefined {
  const word = WORDS.get(utility);
  if (word) return word;
  const side = BORDER.exec(utility);
  if (side) return side[1] ? `border-${side[1]}-width` : "border-width";
  if (/^text-\[[\d.]/.test(utility)) return "text-size";
  if (utility.startsWith("flex-[")) return "flex";
  const name = utility.replace(/^-/, "");
  // The longest part before a dash that is known; dashes in brackets belong to the value.
  const [plain = ""] = name.split(/[[(]/);
  for (let end = plain.lastIndexOf("-"); end > 0; end = plain.lastIndexOf("-", end - 1)) {
    const before = name.slice(0, end);
    if (!BEFORE_VALUES.has(before)) continue;
    return before === "content" && name[end + 1] === "[" ? "content-text" : before;
  }
  return undefined;
}

function spread(groups: Record<string, string>): Map<string, string> {
  return new Map(
    Object.entries(groups).flatMap(([group, words]) =>
      words.split(" ").map((word) => [word, group] as const),
    ),
  );
}
