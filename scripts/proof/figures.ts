import { PROOF } from "./rows.ts";

/** How a number in a line is compared with its bar. */
const COMPARE: Record<string, (value: number, bar: number) => boolean> = {
  "<": (value, bar) => value < bar,
  "<=": (value, bar) => value <= bar,
  ">=": (value, bar) => value >= bar,
  "=": (value, bar) => value === bar,
};
const BAR = /\{(<=?|>=|=)(#?)([\d.]+)\}/g;
const SAME = /\{#(\d)\}/g;

/**
 * A line that a row's command prints. In braces, the bar of the number at that place: `{>=20}`; `{>=#1}` compares it with
 * the first such number, and `{#1}` is that number again.
 */
type Figure = RegExp | { line: RegExp; times: number };

const times = (count: number, line: RegExp): Figure => ({ line, times: count });

/** The figures of each row that prints more than its number of tests. */
export const FIGURES: Record<string, Figure[]> = {
  start: [/first start {<=45} s, second start {<=2} s/],
  test: [/All tests passed in {<=480} s/],
  demo: [/demo: {>=10} of {#1} steps on PGlite .*; {>=10} of {#2} steps on Postgres .*/],
  "flood-reads": [/flood of reads: .* ratio {<=2}; memory grew -?\d+ MB/],
  "flood-bodies": [/flood of bodies: .* ratio {<=2}; memory grew {<=100} MB/],
  "stripe-openapi": [/stripe: {>=500} exchanges of {>=25} operations .*: {=0} faults/],
  "money-life": [/money life: seed \d+, {>=100000} steps, 0 lost/],
  "event-crash": [/event-crash: {>=100000} settles, .* {=0} lost/],
  "event-cost": [/figures: events add {<=5} % to the CPU of a settle/],
  "event-listeners": [
    /event listeners: {>=1000} streams, {>=30000} messages, .* ratio {<=1.2}, inverse {<=1.2}; memory grew {<=100} MB/,
  ],
  "faults-20": [
    /faults-20: silent connections: {>=20} rounds, 200 again after at most {<=5000} ms/,
    /faults-20: closing under clients: {>=100} answered, {>=100} told, {=0} cut/,
    /faults-20: {>=45} orders at a broken node, {=0} declined/,
  ],
  failovers: [
    /failovers: seed \d+: {>=20} failovers .*, {>=20} freezes .*, {>=5} disk-fulls .*; {>=1000} settles .* {=0} lost, {=0} lost on the standby, {=0} doubled, {=0} other answers, {=0} broken rules/,
  ],
  soak: [
    /soak: {>=10} minutes, .* {=5} of 5 flat; settle p99 .*, ratio {<=1.1}; {=0} unexpected answers, {=0} broken rules/,
  ],
  "faults-20-reads": [/read flood: .* kept {>=80} %/],
  growth: [
    /growth: {<=2200} bytes a request settled alone, {<=3200} one reserved first/,
    times(
      2,
      /growth: {>=29} questions at 10{6,7} rows, {=0} over; verify {<=1.1} x, settle {<=1.1} x/,
    ),
  ],
  speed: [
    /figures: .*?: verify {>=3000}\/s, settle {>=3000}\/s, one balance {>=80} % of many, batching {>=3} x/,
  ],
  ratios: [
    /ratios: verifyToEcho {>=0.5}, settleToPgbench {>=2}, hotToSpread {>=1}, batchedToUnbatched {>=15}, gateToStock {<=0.5}, leasedGateToStock {<=0.1}/,
    /our gate, leased +{>=15000} calls\/s/,
  ],
  "exact-crash": [
    times(
      3,
      /exact (?:gate|service|chain): {>=2} kills, {#1} paid and answered, {=0} answered unpaid, {=0} paid or answered twice, {=0} paid without an answer/,
    ),
  ],
  "exact-gas": [
    /exact: ours, 250 at once: {=1000} of 1000 settled/,
    /exact against stock: gas {<=0.75} x, rate [\d.]+ x as documented, .* x with a nonce manager/,
    /exact against stock, 2 s blocks: gas {<=0.75} x, rate {>=10} x as documented, .* x with a nonce manager/,
  ],
  decisions: [
    /decisions: {>=1000000} questions, {=0} disagreements, \d+ outcomes, the rarest {>=50} times/,
  ],
  simulator: [/simulator: {>=20000000} operations, {>=20} seeds, {=0} broken/],
  linearizability: [
    times(
      2,
      /linearizability: {>=200} histories of {>=2000} operations, {=0} anomalies, {#1} forged/,
    ),
  ],
  uninvited: [
    times(2, /uninvited: [\w-]+: {>=10000} tries, \d+ orders, {=0} above/),
    /uninvited: sender-constrained: \d+ tries, {=0} orders/,
  ],
  neighbor: [
    /vendor: payments {>=19}\/20, x402 {>=7}\/7, express {>=9}\/9, a2a {>=5}\/5, mcp {>=15}\/18/,
  ],
  "neighbor-python": [/vendor, Python: payments {>=18}\/19, x402 {>=8}\/8/],
  judges: [/judges: .*, {=0} without a reason/],
  openapi: [/openapi: {>=2} documents, {=0} problems, {>=4} of {#3} generated clients compile/],
  tampering: [/tampering: {>=1000000} mutants, {=0} accepted/],
  mutation: [/mutation: all \d+ of {>=1000} mutants killed, score {>=85}/],
  "chain-demo": [
    /demo on chain: transaction 0x[0-9a-f]{64} status {=1}, Credits {>=0}, remainingBalance {#2}/,
  ],
  "chain-burst": [
    /figures: chain: one by one .*?, grouping off .*? \({=1000} of 1000\), grouping on .*? \({=1000} of 1000\), ratio {>=10}, p50 {<100} ms/,
  ],
  "one-subscriber": [
    /one subscriber {<=50} operations for 1000 settles at {<10000} gas \({=1000} of 1000\), receipts {>=1000} of {#4}, forged {=0}, difference {=0}/,
  ],
  "chain-faults": [/faults: {>=6} of {#1} held/],
  "flat-memory": [times(2, /memory: .*?: .* grew by {<200} MiB/)],
  "route-confusion": [times(3, /route confusion: .*?: {>=100000} paths, {=0} disagreements/)],
  "free-ride": [/free ride: served {>=100}, burned {#1}, free {=0}(?![\s\S]*free ride:)/],
  "free-ride-storm": [times(2, /free ride storm: served {>=5000}, burned {#1}, difference {=0}/)],
  leases: [/leases: {>=20} kills, served {>=300}, burned {#2}, difference {=0}/],
  "method-override": [/method override: {=0} of 68 ran/],
  "gate-speed": [
    /figures: gate: adds p50 {<3} ms, p99 [\d.]+ ms; stock adds p50 {>=#1} ms, p99 [\d.]+ ms/,
  ],
  langgraph: [/langgraph: {>=11} checks passed/],
  "package-size": ["esbuild", "rolldown"].flatMap((bundler) => [
    new RegExp(`bundle: ${bundler}: { createGate, Payments } .*: {<=45} KB`),
    new RegExp(`bundle: ${bundler}: { decodeAccessToken } .*: {<20} KB`),
  ]),
  runtimes: [/runtimes: Node 20.*Node 22.*Node 24.*Bun.*Deno.*workerd.*/],
  "card-demo": [
    /card demo: {>=10} steps ok, .* charged {>=1} cents at the processor and {#2} in the ledger/,
  ],
  "card-crashes": [/card crashes: {>=1} of {#1} held, broken rules {=0}/],
  "card-webhooks": [times(2, /card webhooks: {=720} orders, {>=8000} events, {=1} end states/)],
  doctor: [
    /doctor: {>=37} broken agents for {>=37} checks/,
    /doctor: demo agent {>=30} held, errors {=0}, credits {>=0} of {>=#3}/,
  ],
  vale: [/vale: {>=150} documents, {=0} findings/],
  ssrf: [/ssrf: {>=200} spellings x 3, connections {=0}/],
  a1: [/A1: clicks {=1}, {<10.1} s/],
  "failure-lab": [
    /failure lab: {=18} of 18 as expected, crypto/,
    /failure lab: {=18} of 18 as expected, card/,
    /failure lab: {=16} of 16 as expected, exact/,
  ],
  "playground-inp": [
    /playground inp: worst {<=200} ms over {>=100} interactions/,
    /98th percentile \d+ ms/,
  ],
  builder: [/A3: {<=14} clicks and \d+ for the API key, {<180} s to a verified 402/],
  "every-page": ["loaded", "empty", "error"].map(
    (state) => new RegExp(`every page: ${state}, {>=60} routes, {>=120} visits, {=0} findings`),
  ),
  "every-dialog": ["builder", "subscriber"].map(
    (role) => new RegExp(`every dialog: ${role}, {>=10} opened, {=0} findings`),
  ),
  keyboard: [
    /keyboard: order, mint, run and revoke in \d+ presses/,
    /keyboard: a plan in \d+ presses/,
  ],
  "many-rows": [
    /wheel median frame {<18.2} ms, 95th [\d.]+ ms; dragged median [\d.]+ ms, .*filter {<=300} ms/,
  ],
  "page-weight": [/heaviest list page (?=\d{3}\.){<=178} KB/],
  lighthouse: [
    /lowest median {>=95} on desktop, {>=97} on mobile; largest paint \/ (?=[1-9]){<=1200} ms, \/home (?=[1-9]){<=1200} ms, \/playground (?=[1-9]){<=1200} ms/,
  ],
  "page-tenants": [
    /tenants: {>=20} pages, {>=200} answers to others, {=0} leaks/,
    /tenants: {>=70} reads, {>=140} answers to others, {=0} leaks/,
  ],
  "page-csrf": [/csrf: {>=30} actions, {>=240} foreign requests, {=0} taken/],
  "page-policy": [/policy: {>=60} routes, {>=200} visits with hostile text, {=0} violations/],
  "killed-answers": [
    times(6, /killed answers: (?:crypto|card), [\w ]+: {>=30} runs, {#1} orders/),
    /killed answers: settle: {>=20} runs, {#1} credits, {>=40} responses lost/,
  ],
  "planted-secrets": [/secrets: {>=12} canaries, {>=1000} places, {=0} hits/],
  quickstarts: [
    /quickstarts: {>=8} of 8 paid, slowest {<120} s, at most {<=6} commands/,
    /quickstart next: next build passes without a key/,
  ],
  snippets: [/snippets: {>=100} run on {=3} Node versions .*, {=0} broken/],
  "buy-once": [
    /buy once: one by one: 20 runs, {=20} calls paid, {=1} orders/,
    // Beside the run that orders, others may find no credits yet.
    /buy once: at once: 20 runs, {>=1} calls paid, {=1} orders/,
  ],
  functions: [/Checked \d+ files/],
  folders: [/{=0} large folders/],
  words: [/{=0} words;/],
  lines: [/{<79667} production lines/],
  cycles: [/Checked \d+ files/],
  "traced-folder": [
    /traced folder: starts in {<=3} s \(.*\), {<=250} MB on disk, {<=350} MB resident after 4 pages, exit {=0}; read-only,.*; without settings: says what it needs/,
  ],
  preflight: [/preflight: {=31} of 31 broken set-ups named; green on \d+ checks with a paid call/],
  upgrade: [
    /upgrade from \w+: {>=1} calls during the rollout, {=0} failed, the replica before \w+ tokens of the new one, {=0} broken rules, a paid call on a new plan/,
  ],
  "live-modes": [times(3, /live mode \w+: preflight green on \d+ checks; a call paid with .*/)],
};

/** Rows that promise both stores. */
const ON_BOTH_STORES = PROOF.filter(({ promise, bar }) =>
  /\b(?:both|every) stores?\b/.test(`${promise} ${bar}`),
).map(({ id }) => id);

/** The figure of a row in what its command printed; throws if a line is missing or misses its bar. */
export function readFigure({ id, text }: { id: string; text: string }, output: string): string {
  const figures = (FIGURES[id] ?? []).flatMap((expected) => readLine(expected, output));
  const tests = /\b(?:vitest|playwright)\b/.test(text) ? [testsPassed(output)] : [];
  const figure = [...figures, ...tests].join("; ");
  checkStores(id, figure);
  return figure;
}

/** Reads a row's figure again; throws where its command prints other lines today, or its bar is another. */
export function readStored(id: string, stored: string): void {
  checkStores(id, stored);
  for (const figure of FIGURES[id] ?? []) {
    const { source } = figure instanceof RegExp ? figure : figure.line;
    const [start = ""] = /^[\w ,:-]+/.exec(source) ?? [];
    // Lines are kept one after the other: each starts with the words of its pattern.
    readLine(figure, start === "" ? stored : stored.replaceAll(`; ${start}`, `\n${start}`));
  }
}

function readLine(figure: Figure, output: string): string[] {
  const { line, times } = figure instanceof RegExp ? { line: figure, times: undefined } : figure;
  const bars = [...line.source.matchAll(BAR)];
  let place = 0;
  const pattern = line.source
    .replace(BAR, () => `(?<n${++place}>-?\\d[\\d.]*)`)
    .replace(SAME, "\\k<n$1>");
  const every = [...output.matchAll(new RegExp(pattern, "g"))];
  const found = times === undefined ? every.slice(0, 1) : every;
  if (found.length < (times ?? 1)) throw new Error(`found ${found.length} lines like ${line}`);
  return found.map(({ 0: text, groups }) => {
    const number = (at: number) => Number(groups?.[`n${at}`]);
    const missed = bars.filter(([, sign = "", isPlace, bar], at) => {
      const wanted = isPlace ? number(Number(bar)) : Number(bar);
      return !COMPARE[sign]?.(number(at + 1), wanted);
    });
    if (missed.length === 0) return text;
    throw new Error(`${missed.map(([bar]) => bar).join(", ")} misses the bar: ${text}`);
  });
}

function checkStores(id: string, figure: string): void {
  if (ON_BOTH_STORES.includes(id) && !/ and Postgres \d/.test(figure))
    throw new Error(`not on both stores: ${figure}`);
}

/** How many tests passed, and on which stores. */
function testsPassed(output: string): string {
  const count = /Tests\s+(\d+) passed|^\s+(\d+) passed/m.exec(output);
  if (!count) throw new Error("no test passed");
  const [, stores] = /Database tests run on (.*)\./.exec(output) ?? [];
  return `${count[1] ?? count[2]} tests${stores ? ` on ${stores}` : ""}`;
}
