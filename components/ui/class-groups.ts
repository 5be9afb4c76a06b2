/*
 * Which of our classes set the same property. tailwind-merge's default configuration knows all of Tailwind and adds
 * 6.5 KB of gzip to every page; this one knows what we use. `class-groups.test.ts` compares the two for every class in
 * the sources and names what is missing here.
 */

const any = () => true;
const isLength = (value: string) => /^\d|^\[-?[\d.]+[a-z%]/.test(value);

type Group = (string | Record<string, (string | ((value: string) => boolean))[]>)[];

const words = (list: string) => list.split(" ");
const groupOf = (names: string[], group: (name: string) => Group) =>
  Object.fromEntries(names.map((name) => [name, group(name)]));

const INSETS = words("inset-x inset-y start end top right bottom left");
const SIDES = words("x y s e t r b l");
const paddings = SIDES.map((side) => `p${side}`);
const margins = SIDES.map((side) => `m${side}`);
const corners = SIDES.slice(2).map((side) => `rounded-${side}`);
const borders = SIDES.map((side) => `border-${side}`);

/** Prefixes that set one property, whatever the value. */
const PREFIXES = [
  ...words(
    "p m gap gap-x gap-y inset w h size min-w max-w min-h max-h basis order z scroll-mt scroll-mb",
  ),
  ...words("box items self justify justify-items justify-self place-content place-items align"),
  ...words("list grid-cols grid-rows grid-flow auto-cols auto-rows col-start col-end row-start"),
  ...words("leading overflow overflow-x overflow-y whitespace wrap line-clamp tracking appearance"),
  ...words("bg fill opacity accent decoration outline-offset animate duration ease delay rotate"),
  ...words("scale-x translate-x translate-y cursor select pointer-events touch-pan field-sizing"),
  ...words("col-span row-span"),
  ...[...INSETS, ...paddings, ...margins],
];

/** Such prefixes that are also a class without a value. */
const WORDS_AND_PREFIXES = [
  ...words("grow shrink resize transform transition filter blur shadow rounded divide-x divide-y"),
  ...corners,
];

/** Classes without a value, by what they set. */
const WORDS = {
  display: words(
    "block inline-block inline flex inline-flex grid inline-grid contents hidden table",
  ),
  position: words("static fixed absolute relative sticky"),
  visibility: words("visible invisible collapse"),
  "sr-only": words("sr-only not-sr-only"),
  italic: words("italic not-italic"),
  underline: words("underline overline line-through no-underline"),
  "text-transform": words("uppercase lowercase capitalize normal-case"),
  "border-collapse": words("border-collapse border-separate"),
  ...groupOf(words("truncate tabular-nums isolate container"), (name) => [name]),
};

/** Text sizes of `app/globals.css`. */
const SIZES = words("display h1 h2 h3 body label note small figure mono tick");
const LINES = words("solid dashed dotted double none");

/** Prefixes of several properties, told apart by the value: the first that fits. */
const BY_VALUE: Record<string, Group> = {
  "text-size": [{ text: [...SIZES, isLength] }],
  "text-align": [{ text: words("start center end") }],
  "text-wrap": [{ text: words("balance pretty wrap nowrap") }],
  "text-color": [{ text: [any] }],
  "font-family": [{ font: words("sans mono") }],
  "font-weight": [{ font: [any] }],
  "flex-direction": [{ flex: words("row row-reverse col col-reverse") }],
  "flex-wrap": [{ flex: words("wrap wrap-reverse nowrap") }],
  flex: [{ flex: [any] }],
  "align-content": [{ content: words("start center end between around evenly stretch") }],
  content: [{ content: [any] }],
  "table-layout": [{ table: words("fixed auto") }],
  "stroke-width": [{ stroke: [isLength] }],
  stroke: [{ stroke: [any] }],
  "outline-style": [{ outline: LINES }],
  "outline-width": [{ outline: ["", isLength] }],
  "outline-color": [{ outline: [any] }],
  "border-style": [{ border: LINES }],
  border: [{ border: ["", isLength] }],
  ...groupOf(borders, (name) => [{ [name]: ["", isLength] }]),
  ...Object.fromEntries(borders.map((name) => [`${name}-color`, [{ [name]: [any] }]])),
  "border-color": [{ border: [any] }],
  "divide-color": [{ divide: [any] }],
};

/** A class of one group also replaces earlier ones of these. */
export const REPLACES: Record<string, string[]> = {
  p: paddings,
  px: words("ps pe pr pl"),
  py: words("pt pb"),
  m: margins,
  mx: words("ms me mr ml"),
  my: words("mt mb"),
  inset: INSETS,
  "inset-x": words("start end right left"),
  "inset-y": words("top bottom"),
  border: borders,
  "border-x": words("border-s border-e border-r border-l"),
  "border-y": words("border-t border-b"),
  "border-color": borders.map((name) => `${name}-color`),
  rounded: corners,
  flex: words("basis grow shrink"),
  gap: words("gap-x gap-y"),
  overflow: words("overflow-x overflow-y"),
  size: words("w h"),
  "text-size": ["leading"],
  "line-clamp": words("display overflow"),
};

/** The classes that set one property, by a name for it. */
export const CLASS_GROUPS = {
  ...groupOf(PREFIXES, (name) => [{ [name]: [any] }]),
  ...groupOf(WORDS_AND_PREFIXES, (name) => [{ [name]: ["", any] }]),
  ...WORDS,
  ...BY_VALUE,
};
