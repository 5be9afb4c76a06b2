import { readFileSync } from "node:fs";
import { parseAst } from "rolldown/parseAst";

/** A function that is longer than a reader can hold in view. */
export type LongFunction = { path: string; line: number; name: string; lines: number };

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** Finds the functions of a TypeScript file with more than `max` lines, signature included. */
export function findLongFunctions(path: string, max: number): LongFunction[] {
  const code = readFileSync(path, "utf8");
  const lineOf = (offset: number) => code.slice(0, offset).split("\n").length;
  const found: LongFunction[] = [];
  const visit = (node: Node, name: string): void => {
    if (FUNCTIONS.has(node.type)) {
      const line = lineOf(node.start);
      const lines = lineOf(node.end) - line + 1;
      const own = (node.id as { name?: string } | null)?.name ?? name;
      if (lines > max) found.push({ path, line, name: own, lines });
    }
    const inner = nameIn(node) ?? name;
    for (const [key, value] of Object.entries(node)) {
      if (key === "type" || key === "start" || key === "end") continue;
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) visit(child, inner);
      }
    }
  };
  visit(parseAst(code, { lang: path.endsWith("x") ? "tsx" : "ts" }) as unknown as Node, "module");
  return found;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** What a node gives the function inside it as a name: a variable, a property, a method. */
function nameIn(node: Node): string | null {
  const { id, key } = node as { id?: { name?: string }; key?: { name?: string } };
  if (node.type === "VariableDeclarator") return id?.name ?? null;
  if (node.type === "Property" || node.type === "MethodDefinition") return key?.name ?? null;
  return null;
}
