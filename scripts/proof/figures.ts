/** One promise: what shows it, what it must reach, and the figure its command printed. */
export type ProofRow = {
  id: string;
  area: string;
  show: string;
  bar: string;
  command: string[];
  /** The figure in what the command printed; throws when the bar is not met. Exit status 0 is asked of all. */
  figure: (output: string) => string;
};

/** A script of ours. */
export const node = (script: string, ...args: string[]) => [
  process.execPath,
  "--import",
  "./scripts/typescript.mjs",
  script,
  ...args,
];
/** Tests by file or by name. */
export const vitest = (...args: string[]) => [
  process.execPath,
  "node_modules/vitest/vitest.mjs",
  "run",
  ...args,
];

/** Browser tests by file or by name, on the built service. */
export const browser = (...args: string[]) => [
  process.execPath,
  "node_modules/@playwright/test/cli.js",
  "test",
  ...args,
];

/** How many browser tests passed; one that needed a second try is not counted among them. */
export function passedInBrowser(output: string): string {
  const [count = ""] = find(output, /^\s+(\d+) passed/m);
  const flaky = /^\s+(\d+) flaky/m.exec(output);
  return `${count} tests${flaky ? `, ${flaky[1]} at the second try` : ""}`;
}

/** What the pattern captures in what was printed. */
export function find(output: string, pattern: RegExp): string[] {
  const found = pattern.exec(output);
  if (!found) throw new Error(`printed nothing like ${pattern}`);
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
