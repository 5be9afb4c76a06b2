import { parseAst } from "rolldown/parseAst";

/** The longest wait in tests, in milliseconds. */
export const MAX_MS = 250;

type Node = { type: string; start: number } & Record<string, unknown>;
/** The initial value of a constant in the file that a module name leads to. */
type ReadImport = (source: string, name: string) => number | null;

const SLEEPS = new Set(["sleep", "pause", "delay", "wait", "waitForTimeout"]);
/** What a file without any of them does not do: sleep. Most tests need not be parsed. */
const MAY_SLEEP = new RegExp(String.raw`\b(?:${[...SLEEPS].join("|")}|setTimeout)\b`);
const PROMISED = /^(node:)?timers\/promises$/;
const ARITHMETIC: Record<string, (left: number, right: number) => number> = {
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "**": (left, right) => left ** right,
};

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

const childrenOf = (node: Node): Node[] =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isNode));

const nodesOf = (node: Node): Node[] => [node, ...childrenOf(node).flatMap(nodesOf)];

const nameOf = (node: unknown) => String((node as { name?: string } | undefined)?.name);

/**
 * Waits for a fixed time over the maximum, by line. A timer that is kept to be cleared is a deadline, not a sleep.
 *
 * @example findSleeps("await sleep(60 * 60);") // [1]
 */
export function findSleeps(code: string, readImport: ReadImport = () => null): number[] {
  if (!MAY_SLEEP.test(code)) return [];
  const all = parse(code);
  const longest = createReckoner(all, readImport);
  const promised = new Set(
    importsOf(all)
      .filter(({ source, name }) => PROMISED.test(source) && name === "setTimeout")
      .map(({ local }) => local),
  );
  const uncleared = new Set(
    all.flatMap(({ type, expression, body }) =>
      type === "ExpressionStatement"
        ? [expression]
        : type === "ArrowFunctionExpression"
          ? [body]
          : [],
    ),
  );
  const waitsFor = (call: Node): Node | undefined => {
    const callee = call.callee as Node;
    const [first, second, , fourth] = call.arguments as Node[];
    const property = nameOf(callee.property);
    if (callee.type === "MemberExpression" && nameOf(callee.object) === "Atomics")
      return property === "wait" ? fourth : undefined;
    const name = callee.type === "Identifier" ? nameOf(callee) : property;
    if (callee.type === "Identifier" && promised.has(name)) return first;
    if (callee.type === "Identifier" && name === "setTimeout")
      return uncleared.has(call) ? second : undefined;
    return SLEEPS.has(name) ? first : undefined;
  };
  return all
    .filter((call) => call.type === "CallExpression" && (longest(waitsFor(call)) ?? 0) > MAX_MS)
    .map(({ start }) => code.slice(0, start).split("\n").length);
}

/** The number that a file's constant starts with, if it is one. */
export function findConstant(code: string, name: string): number | null {
  const all = parse(code);
  const declared = constantsOf(all).get(name);
  return declared ? createReckoner(all, () => null)(declared) : null;
}

const parse = (code: string) => nodesOf(parseAst(code, { lang: "ts" }) as unknown as Node);

const constantsOf = (all: Node[]) =>
  new Map(
    all
      .filter(({ type, init }) => type === "VariableDeclarator" && isNode(init))
      .map(({ id, init }) => [nameOf(id), init as Node]),
  );

const importsOf = (all: Node[]) =>
  all
    .filter(({ type }) => type === "ImportDeclaration")
    .flatMap(({ source, specifiers }) =>
      (specifiers as Node[]).map(({ local, imported }) => ({
        source: String((source as Node).value),
        local: nameOf(local),
        name: nameOf(imported),
      })),
    );

/** Reckons the largest number that an expression names, or answers null where it names none. */
function createReckoner(all: Node[], readImport: ReadImport) {
  const constants = constantsOf(all);
  const imported = new Map(importsOf(all).map((each) => [each.local, each]));
  const reckon = (node: Node | undefined, above: readonly string[] = []): number | null => {
    if (!node) return null;
    if (node.type === "Literal") return typeof node.value === "number" ? node.value : null;
    if (node.type === "Identifier") {
      const name = nameOf(node);
      const from = imported.get(name);
      if (from) return readImport(from.source, from.name);
      return above.includes(name) ? null : numberOf(constants.get(name), [...above, name]);
    }
    const parts = childrenOf(node).map((child) => reckon(child, above));
    const known = parts.filter((part) => part !== null);
    const compute = ARITHMETIC[String(node.operator)];
    if (node.type === "BinaryExpression" && compute && known.length === 2) {
      return compute(known[0] as number, known[1] as number);
    }
    return known.length === 0 ? null : Math.max(...known);
  };
  /** Of a constant: a number or arithmetic, not what a call with numbers answers. */
  const numberOf = (node: Node | undefined, above: readonly string[]) =>
    node && ["Literal", "BinaryExpression", "ConditionalExpression"].includes(node.type)
      ? reckon(node, above)
      : null;
  return reckon;
}
