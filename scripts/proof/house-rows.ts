import {
  below,
  browser,
  find,
  node,
  type ProofRow,
  passedInBrowser,
  same,
  testsPassed,
  vitest,
} from "./figures.ts";

const MAX_PRODUCTION_LINES = 79_667;
const house = node("scripts/house/run.ts");
const FIGURES = /(\d+) long functions, (\d+) large folders, (\d+) words; (\d+) production lines\./;

/** One figure of `npm run house`, which exits with an error while any of the first three is above 0. */
const houseFigure = (index: number) => (output: string) => find(output, FIGURES)[index] ?? "";
const none = (name: string, index: number) => (output: string) =>
  same(name, houseFigure(index)(output), "0");

/** The form of the code. */
export const HOUSE_ROWS: ProofRow[] = [
  {
    id: "functions",
    area: "house",
    show: "functions over 80 lines",
    bar: "0",
    command: house,
    figure: none("functions", 0),
  },
  {
    id: "folders",
    area: "house",
    show: "folders with more than 40 files",
    bar: "0",
    command: house,
    figure: none("folders", 1),
  },
  {
    id: "words",
    area: "house",
    show: "words that the voice page replaces, in product text, docs and comments",
    bar: "0",
    command: house,
    figure: none("words", 2),
  },
  {
    id: "lines",
    area: "house",
    show: "production lines of TypeScript and SQL",
    bar: `under ${MAX_PRODUCTION_LINES}`,
    command: house,
    figure: (output) => below("lines", Number(houseFigure(3)(output)), MAX_PRODUCTION_LINES),
  },
  {
    id: "cycles",
    area: "house",
    show: "import cycles of values and types",
    bar: "0",
    command: [
      process.execPath,
      "node_modules/@biomejs/biome/bin/biome",
      "lint",
      "--only=suspicious/noImportCycles",
      "--error-on-warnings",
      ".",
    ],
    figure: (output) => `0 cycles in ${find(output, /Checked (\d+) files/)[0]} files`,
  },
  {
    id: "sandbox-apart",
    area: "house",
    show: "what a live process loads, over static imports; who may import whom",
    bar: "nothing of the sandbox; every import follows the layers",
    command: vitest("lib/architecture.test.ts"),
    figure: testsPassed,
  },
  {
    id: "sleeps",
    area: "house",
    show: "fixed sleeps over 250 ms in tests, and retries of browser tests",
    bar: "no sleeps, retries: 0",
    command: vitest("lib/fixed-sleeps.test.ts"),
    figure: testsPassed,
  },
  {
    id: "protections",
    area: "house",
    show: "every protection through every entry point",
    bar: "every cell holds",
    command: vitest("lib/server/protections.test.ts"),
    figure: testsPassed,
  },
  {
    id: "cash-rail",
    area: "house",
    show: "a cash rail from a test folder: register, order, mint, verify, settle, refund",
    bar: "works without a change to any other file",
    command: vitest("lib/domain/testing/cash-rail.test.ts"),
    figure: testsPassed,
  },
  {
    id: "bundle",
    area: "house",
    show: "{ createGate, Payments } and decodeAccessToken, bundled and compressed",
    bar: "at most 45 KB and 20 KB",
    command: vitest("lib/sdk/bundle-size.test.ts"),
    figure: testsPassed,
  },
  {
    id: "public-files",
    area: "house",
    show: "icons, manifest, preview image, robots.txt and llms.txt; metadata of public pages",
    bar: "each is served with its type; every public page has a title, description and image",
    command: browser("e2e/public.spec.ts"),
    figure: passedInBrowser,
  },
];
