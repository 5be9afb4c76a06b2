/** A decoded form: strings, and objects from keys such as `metadata[order_id]` and `expand[0]`. */
export type FormValue = string | FormTree;
export type FormTree = { [key: string]: FormValue };

const MAX_DEPTH = 6;

/**
 * Reads a query string or a form-encoded body with nested keys: `a[b]=c`, `a[]=c`, `a[0]=c`.
 * Throws a plain Error for conflicting or deeply nested keys.
 */
export function parseForm(text: string): FormTree {
  const root: FormTree = Object.create(null);
  for (const [key, value] of new URLSearchParams(text)) put(root, pathOf(key), value);
  return root;
}

/** The values of an array as forms encode it: with numbered or empty keys. */
export const valuesOf = (tree: FormValue | undefined): FormValue[] =>
  tree === undefined ? [] : typeof tree === "string" ? [tree] : Object.values(tree);

function pathOf(key: string): string[] {
  const head = /^[^[\]]+/.exec(key)?.[0];
  if (head === undefined) throw new Error(`Invalid key: ${key}`);
  const rest = key.slice(head.length);
  const steps = Array.from(rest.matchAll(/\[([^[\]]*)\]/g), ([, step]) => step ?? "");
  if (steps.map((step) => `[${step}]`).join("") !== rest || steps.length > MAX_DEPTH) {
    throw new Error(`Invalid key: ${key}`);
  }
  return [head, ...steps];
}

function put(root: FormTree, path: string[], value: string): void {
  let node = root;
  for (const [index, step] of path.entries()) {
    const name = step === "" ? String(Object.keys(node).length) : step;
    if (index === path.length - 1) {
      node[name] = value;
      return;
    }
    const next = node[name] ?? Object.create(null);
    if (typeof next === "string") throw new Error(`Invalid key: ${path[0]}`);
    node[name] = next;
    node = next;
  }
}
