/** One promise: what shows it, its bar, and the figure that its command prints. */
export type ProofRow = {
  id: string;
  area: string;
  show: string;
  bar: string;
  command: string[];
  /** Reads the figure from the output; throws if it misses the bar. Every command must exit with 0. */
  figure: (output: string) => string;
};

/** Runs a script of the repository. */
export const node = (script: string, ...args: string[]) => [
  process.execPath,
  "--import",
  "./scripts/typescript.mjs",
  script,
  ...args,
];
/** Runs tests by file or name. */
export const vitest = (...args: string[]) => [
  process.execPath,
  "node_modules/vitest/vitest.mjs",
  "run",
  ...args,
];

/** Runs browser tests by file or name, on the built service. */
export const browser = (...args: string[]) => [
  process.execPath,
  "node_modules/@playwright/test/cli.js",
  "test",
  ...args,
];

/** How many browser tests passed. */
export const passedInBrowser = (output: string): string =>
  `${find(output, /^\s+(\d+) passed/m)[0]} tests`;

/** What the pattern captures in the output. */
export function find(output: string, pattern: RegExp): string[] {
  const found = pattern.exec(output);
  if (!found) throw new Error(`the output does not match ${pattern}`);
  return found.slice(1);
}

/** How many tests passed, and on which stores. */
export const testsPassed = (output: string) => {
  const stores = /Database tests run on (.*)\./.exec(output)?.[1];
  const [count] = find(output, /Tests\s+(\d+) passed/);
  return `${count} tests${stores ? ` on ${stores}` : ""}`;
};

export function atLeast(name: string, value: number, bar: number): string {
  if (value < bar) throw new Error(`${name} is ${value}, the bar is ${bar}`);
  return `${name} ${value}`;
}

export function below(name: string, value: number, bar: number): string {
  if (value >= bar) throw new Error(`${name} is ${value}, the bar is under ${bar}`);
  return `${name} ${value}`;
}

export function same(name: string, value: string, wanted: string): string {
  if (value !== wanted) throw new Error(`${name} is ${value}, the bar is ${wanted}`);
  return `${name} ${value}`;
}
