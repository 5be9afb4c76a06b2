/** Whether a captured value meets its bar; the other values of its line are given too. */
type Bar = (value: string, values: string[]) => boolean;
/** A line that a row's command prints, and a bar for each value it captures. */
type FigureLine = {
  pattern: RegExp;
  bars: Bar[];
  /** Read the first such line, or every one of at least this many. */
  times: "once" | number;
};

const lines = (times: FigureLine["times"], pattern: RegExp, ...bars: Bar[]): FigureLine => {
  const captured = (new RegExp(`${pattern.source}|`).exec("")?.length ?? 1) - 1;
  if (captured !== bars.length) throw new Error(`${pattern} needs a bar for each captured value.`);
  return { pattern, bars, times };
};
const line = (pattern: RegExp, ...bars: Bar[]) => lines("once", pattern, ...bars);

const is = (wanted: string) => (value: string) => value === wanted;
const below = (bar: number) => (value: string) => Number(value) < bar;
const atMost = (bar: number) => (value: string) => Number(value) <= bar;
const atLeast = (bar: number) => (value: string) => Number(value) >= bar;
const any = () => true;
const none = is("0");
const allIncluded = is("1000 of 1000");

/** The figures of each row that prints more than its number of tests. */
export const FIGURES: Record<string, FigureLine[]> = {
  start: [line(/first start \d+ s, second start ([\d.]+) s/, below(10))],
  test: [line(/All tests passed in (\d+) s/, below(600))],
  demo: [line(/demo: .*/)],
  "flood-reads": [line(/flood of reads: .* ratio ([\d.]+); memory grew -?\d+ MB/, atMost(2))],
  "flood-bodies": [
    line(/flood of bodies: .* ratio ([\d.]+); memory grew (-?\d+) MB/, atMost(2), atMost(100)),
  ],
  "stripe-openapi": [
    line(
      /stripe: (\d+) exchanges of (\d+) operations .*: (\d+) faults/,
      atLeast(500),
      atLeast(25),
      none,
    ),
  ],
  "money-life": [line(/money life: seed \d+, (\d+) steps, 0 lost/, atLeast(100_000))],
  "event-crash": [line(/event-crash: (\d+) settles, .* (\d+) lost/, atLeast(100_000), none)],
  "event-cost": [line(/figures: events add (-?[\d.]+) % to the CPU of a settle/, atMost(5))],
  "event-listeners": [
    line(/event listeners: .* ratio ([\d.]+); memory grew (-?\d+) MB/, atMost(1.2), atMost(100)),
  ],
  "faults-20": [
    line(
      /faults-20: silent connections: (\d+) rounds, 200 again after at most (\d+) ms/,
      atLeast(20),
      atMost(5_000),
    ),
    line(/faults-20: closing under clients: \d+ answered, \d+ told, (\d+) cut/, none),
    line(/faults-20: (\d+) orders at a broken node, (\d+) declined/, atLeast(45), none),
  ],
  failovers: [
    line(
      /failovers: seed \d+: (\d+) failovers .*, (\d+) freezes .*, (\d+) disk-fulls .*; (\d+) settles .* (\d+) lost, (\d+) lost on the standby, (\d+) doubled, (\d+) other answers, (\d+) broken rules/,
      atLeast(20),
      atLeast(20),
      atLeast(5),
      atLeast(1_000),
      none,
      none,
      none,
      none,
      none,
    ),
  ],
  soak: [
    line(
      /soak: (\d+) minutes, .* (\d) of 5 flat; settle p99 .*, ratio ([\d.]+); (\d+) unexpected answers, (\d+) broken rules/,
      atLeast(10),
      atLeast(5),
      atMost(1.1),
      none,
      none,
    ),
  ],
  "faults-20-reads": [line(/read flood: .* kept (\d+) %, failed (\d+)/, atLeast(80), none)],
  growth: [
    line(
      /growth: (\d+) bytes a request settled alone, (\d+) one reserved first/,
      atMost(2_200),
      atMost(3_200),
    ),
    lines(
      2,
      /growth: (\d+) questions at 10{6,7} rows, (\d+) over; verify ([\d.]+) x, settle ([\d.]+) x/,
      atLeast(29),
      none,
      atMost(1.1),
      atMost(1.1),
    ),
  ],
  speed: [
    line(
      /figures: .*?: verify (\d+)\/s, settle (\d+)\/s, one balance (\d+) % of many, batching ([\d.]+) x/,
      atLeast(3_000),
      atLeast(3_000),
      atLeast(80),
      atLeast(3),
    ),
  ],
  "exact-crash": [
    lines(
      3,
      /exact (?:gate|service|chain): \d+ kills, (\d+) paid and answered, (\d+) answered unpaid, (\d+) paid or answered twice, (\d+) paid without an answer/,
      any,
      none,
      none,
      any,
    ),
  ],
  "exact-gas": [
    line(/exact: ours, 250 at once: (\d+) of 1000 settled/, is("1000")),
    line(
      /exact against stock: gas ([\d.]+) x, rate ([\d.]+) x as documented, .* x with a nonce manager/,
      atMost(0.75),
      any,
    ),
    line(
      /exact against stock, 2 s blocks: gas ([\d.]+) x, rate ([\d.]+) x as documented, .* x with a nonce manager/,
      atMost(0.75),
      atLeast(10),
    ),
  ],
  decisions: [
    line(
      /decisions: (\d+) questions, (\d+) disagreements, \d+ outcomes, the rarest (\d+) times/,
      atLeast(1_000_000),
      none,
      atLeast(50),
    ),
  ],
  simulator: [
    line(
      /simulator: (\d+) operations, (\d+) seeds, (\d+) broken/,
      atLeast(20_000_000),
      atLeast(20),
      none,
    ),
  ],
  linearizability: [
    lines(
      2,
      /linearizability: (\d+) histories of (\d+) operations, (\d+) anomalies, (\d+) forged/,
      atLeast(200),
      atLeast(2_000),
      none,
      (found, [histories]) => found === histories,
    ),
  ],
  uninvited: [
    lines(2, /uninvited: [\w-]+: (\d+) tries, \d+ orders, (\d+) above/, atLeast(10_000), none),
    line(/uninvited: sender-constrained: \d+ tries, (\d+) orders/, none),
  ],
  neighbor: [
    line(
      /vendor: payments (\d+)\/20, x402 (\d+)\/7, express (\d+)\/9, a2a (\d+)\/5, mcp (\d+)\/18/,
      atLeast(19),
      atLeast(7),
      atLeast(9),
      atLeast(5),
      atLeast(15),
    ),
  ],
  "neighbor-python": [
    line(/vendor, Python: payments (\d+)\/19, x402 (\d+)\/8/, atLeast(18), atLeast(8)),
  ],
  judges: [line(/judges: .*, (\d+) without a reason/, none)],
  openapi: [
    line(
      /openapi: \d+ documents, (\d+) problems, (\d+) of (\d+) generated clients compile/,
      none,
      (compiled, [, , all]) => compiled === all,
      any,
    ),
  ],
  tampering: [line(/tampering: (\d+) mutants, (\d+) accepted/, atLeast(1_000_000), none)],
  mutation: [line(/mutation: all (\d+) of \d+ mutants killed, score ([\d.]+)/, any, atLeast(85))],
  "chain-demo": [
    line(
      /demo on chain: transaction 0x[0-9a-f]{64} status (\d), Credits (\d+), remainingBalance (\d+)/,
      is("1"),
      (credits, [, , remaining]) => credits === remaining,
      any,
    ),
  ],
  "chain-burst": [
    line(
      /figures: chain: one by one .*?, grouping off .*? \((.*?)\), grouping on .*? \((.*?)\), ratio ([\d.]+), p50 ([\d.]+) ms/,
      allIncluded,
      allIncluded,
      atLeast(10),
      below(100),
    ),
  ],
  "one-subscriber": [
    line(
      /one subscriber (\d+) operations for 1000 settles at (\d+) gas \((.*?)\), receipts (\d+) of \4, forged (\d+), difference (\d+)/,
      atMost(1_000 / 20),
      below(10_000),
      allIncluded,
      atLeast(1_000),
      none,
      none,
    ),
  ],
  "chain-faults": [line(/faults: (\d+) of \1 held/, atLeast(6))],
  "flat-memory": [lines(2, /memory: .*?: .* grew by (-?\d+) MiB/, below(200))],
  "route-confusion": [lines(3, /route confusion: .*?: \d+ paths, (\d+) disagreements/, none)],
  "free-ride": [line(/free ride: served \d+, burned \d+, free (-?\d+)(?![\s\S]*free ride:)/, none)],
  "free-ride-storm": [
    lines(2, /free ride storm: served \d+, burned \d+, difference (-?\d+)/, none),
  ],
  leases: [line(/leases: \d+ kills, served \d+, burned \d+, difference (-?\d+)/, none)],
  "method-override": [line(/method override: (\d+) of 84 ran/, none)],
  "gate-speed": [
    line(
      /figures: gate: adds p50 ([\d.]+) ms, p99 [\d.]+ ms; stock adds p50 ([\d.]+) ms, p99 [\d.]+ ms/,
      below(3),
      (stock, [ours]) => Number(ours) <= Number(stock),
    ),
  ],
  langgraph: [line(/langgraph: \d+ checks passed/)],
  "package-size": ["esbuild", "rolldown"].flatMap((bundler) => [
    line(new RegExp(`bundle: ${bundler}: { createGate, Payments } .*: ([\\d.]+) KB`), atMost(45)),
    line(new RegExp(`bundle: ${bundler}: { decodeAccessToken } .*: ([\\d.]+) KB`), below(20)),
  ]),
  runtimes: [line(/runtimes: Node 20.*Node 22.*Node 24.*Bun.*Deno.*workerd.*/)],
  "card-demo": [line(/card demo: .*/)],
  "card-crashes": [line(/card crashes: (\d+) of \1 held, broken rules (\d+)/, atLeast(1), none)],
  "card-webhooks": [
    lines(2, /card webhooks: (\d+) orders, \d+ events, (\d+) end states/, is("720"), is("1")),
  ],
  doctor: [
    line(/doctor: \d+ broken agents for (\d+) checks/, atLeast(37)),
    line(
      /doctor: demo agent \d+ held, errors (\d+), credits (\d+) of (\d+)/,
      none,
      any,
      (cap, [, used]) => Number(used) <= Number(cap),
    ),
  ],
  vale: [line(/vale: (\d+) documents, (\d+) findings/, atLeast(150), none)],
  ssrf: [line(/ssrf: (\d+) spellings x 3, connections (\d+)/, atLeast(200), none)],
  a1: [line(/A1: clicks (\d+), ([\d.]+) s/, is("1"), below(10.1))],
  "failure-lab": [
    line(/failure lab: (\d+) of 18 as expected, crypto/, is("18")),
    line(/failure lab: (\d+) of 18 as expected, card/, is("18")),
    line(/failure lab: (\d+) of 16 as expected, exact/, is("16")),
  ],
  "playground-inp": [
    line(/playground inp: worst (\d+) ms over \d+ interactions/, atMost(200)),
    line(/98th percentile \d+ ms/),
  ],
  builder: [
    line(
      /A3: (\d+) clicks and \d+ for the API key, ([\d.]+) s to a verified 402/,
      atMost(14),
      below(180),
    ),
  ],
  "every-page": ["loaded", "empty", "error"].map((state) =>
    line(new RegExp(`every page: ${state}, \\d+ routes, \\d+ visits, (\\d+) findings`), none),
  ),
  "every-dialog": ["builder", "subscriber"].map((role) =>
    line(new RegExp(`every dialog: ${role}, \\d+ opened, (\\d+) findings`), none),
  ),
  keyboard: [
    line(/keyboard: order, mint, run and revoke in \d+ presses/),
    line(/keyboard: a plan in \d+ presses/),
  ],
  "many-rows": [
    line(
      /wheel median frame ([\d.]+) ms, 95th [\d.]+ ms; dragged median [\d.]+ ms, .*filter (\d+) ms/,
      below(18.2),
      atMost(300),
    ),
  ],
  "page-weight": [line(/heaviest list page (\d+) KB/, below(178))],
  lighthouse: [
    line(
      /lowest median (\d+) on desktop, (\d+) on mobile; largest paint \/ (\d+) ms, \/home (\d+) ms, \/playground (\d+) ms/,
      atLeast(95),
      atLeast(97),
      atMost(1_200),
      atMost(1_200),
      atMost(1_200),
    ),
  ],
  "page-tenants": [
    line(/tenants: \d+ pages, \d+ answers to others, (\d+) leaks/, none),
    line(/tenants: \d+ reads, \d+ answers to others, (\d+) leaks/, none),
  ],
  "page-csrf": [line(/csrf: (\d+) actions, \d+ foreign requests, (\d+) taken/, atLeast(30), none)],
  "page-policy": [line(/policy: \d+ routes, \d+ visits with hostile text, (\d+) violations/, none)],
  "killed-answers": [lines(1, /killed answers: .*/)],
  "planted-secrets": [line(/secrets: \d+ canaries, \d+ places, (\d+) hits/, none)],
  quickstarts: [
    line(
      /quickstarts: (\d+) of 8 paid, slowest ([\d.]+) s, at most (\d+) commands, 0 edits/,
      atLeast(8),
      below(120),
      atMost(6),
    ),
    line(/quickstart next: next build passes without a key/),
  ],
  snippets: [
    line(
      /snippets: (\d+) run on (\d+) Node versions .*, (\d+) broken/,
      atLeast(100),
      is("3"),
      none,
    ),
  ],
  "buy-once": [lines(2, /buy once: .*: 20 runs, \d+ calls paid, (\d+) orders/, is("1"))],
  functions: [line(/(\d+) long functions/, none)],
  folders: [line(/(\d+) large folders/, none)],
  words: [line(/(\d+) words;/, none)],
  lines: [line(/(\d+) production lines/, below(79_667))],
  cycles: [line(/Checked \d+ files/)],
  "traced-folder": [
    line(
      /traced folder: starts in ([\d.]+) s \(.*\), (\d+) MB on disk, (\d+) MB resident after 4 pages, exit (\d+); read-only,.*; without settings: (.*)/,
      atMost(3),
      atMost(250),
      atMost(350),
      none,
      is("says what it needs"),
    ),
  ],
  preflight: [
    line(
      /preflight: (\d+) of 29 broken set-ups named; (\w+) on \d+ checks with a paid call/,
      is("29"),
      is("green"),
    ),
  ],
  upgrade: [
    line(
      /upgrade from \w+: (\d+) calls during the rollout, (\d+) failed, (\d+) broken rules, a paid call on a new plan/,
      atLeast(1),
      none,
      none,
    ),
  ],
  "live-modes": [lines(3, /live mode \w+: preflight green on \d+ checks; a call paid with .*/)],
  bundle: [
    line(/bundle: esbuild: { createGate, Payments } .*: ([\d.]+) KB/, atMost(45)),
    line(/bundle: esbuild: { decodeAccessToken } .*: ([\d.]+) KB/, atMost(20)),
  ],
};

/** The figure of a row in what its command printed; throws if a line is missing or misses its bar. */
export function readFigure({ id, text }: { id: string; text: string }, output: string): string {
  const figures = (FIGURES[id] ?? []).flatMap((expected) => readLine(expected, output));
  const tests = /\b(?:vitest|playwright)\b/.test(text) ? [testsPassed(output)] : [];
  return [...figures, ...tests].join("; ");
}

function readLine({ pattern, bars, times }: FigureLine, output: string): string[] {
  const every = [...output.matchAll(new RegExp(pattern, "g"))];
  const found = times === "once" ? every.slice(0, 1) : every;
  if (found.length < (times === "once" ? 1 : times)) {
    throw new Error(`found ${found.length} lines like ${pattern}`);
  }
  return found.map(([text, ...values]) => {
    const missed = values.filter((value, index) => !bars[index]?.(value, values));
    if (missed.length > 0) throw new Error(`${missed.join(", ")} misses the bar: ${text}`);
    return text;
  });
}

/** How many tests passed, and on which stores. */
function testsPassed(output: string): string {
  const count = /Tests\s+(\d+) passed|^\s+(\d+) passed/m.exec(output);
  if (!count) throw new Error("no test passed");
  const [, stores] = /Database tests run on (.*)\./.exec(output) ?? [];
  return `${count[1] ?? count[2]} tests${stores ? ` on ${stores}` : ""}`;
}
