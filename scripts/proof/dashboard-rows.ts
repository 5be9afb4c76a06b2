import {
  atLeast,
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

/** The dashboard's promises. */
export const DASHBOARD_ROWS: ProofRow[] = [
  {
    id: "builder",
    area: "dashboard",
    show: "a new account creates a plan, registers its agent behind the gate, and runs the checks (A3)",
    bar: "at most 14 clicks and 180 s to a verified 402",
    command: browser("e2e/builder.spec.ts"),
    figure: (output) => {
      const [clicks, key, secs] = find(
        output,
        /A3: (\d+) clicks and (\d+) for the API key, ([\d.]+) s to a verified 402/,
      );
      return `${below("clicks", Number(clicks), 15)} and ${key} for the API key, ${below("s", Number(secs), 180)}`;
    },
  },
  {
    id: "plan-template",
    area: "dashboard",
    show: "a plan from a template (A4)",
    bar: "5 clicks and a name",
    command: browser("e2e/plan-builder.spec.ts", "-g", "A4"),
    figure: passedInBrowser,
  },
  {
    id: "plan-properties",
    area: "dashboard",
    show: "generated plans, every price with every credit model: the text, the JSON and the stored plan",
    bar: "all match, in 1 000 plans and in each combination through the browser",
    command: vitest("components/plans"),
    figure: testsPassed,
  },
  {
    id: "plan-combinations",
    area: "dashboard",
    show: "five prices times four credit models, created in the browser and read back over the API",
    bar: "each is stored as shown",
    command: browser("e2e/plan-builder.spec.ts", "-g", "every credit model"),
    figure: passedInBrowser,
  },
  {
    id: "every-page",
    area: "dashboard",
    show: "every page with data, of a new account, and with reads that fail: light and dark, 320 to 1920 px (A7, A9)",
    bar: "no axe violations, no sideways scroll; a page without a row fails",
    command: browser("e2e/every-page.spec.ts"),
    figure: (output) => {
      const states = ["loaded", "empty", "error"].map((state) => {
        const [routes, visits, findings = ""] = find(
          output,
          new RegExp(`every page: ${state}, (\\d+) routes, (\\d+) visits, (\\d+) findings`),
        );
        return `${state}: ${routes} routes, ${visits} visits, ${same("findings", findings, "0")}`;
      });
      return states.join("; ");
    },
  },
  {
    id: "every-dialog",
    area: "dashboard",
    show: "dialogs and menus of the main pages, open, light and dark (A7)",
    bar: "no axe violations",
    command: browser("e2e/every-dialog.spec.ts"),
    figure: (output) => {
      const kinds = ["builder", "subscriber"].map((who) => {
        const [opened, findings = ""] = find(
          output,
          new RegExp(`every dialog: ${who}, (\\d+) opened, (\\d+) findings`),
        );
        return `${who}: ${opened} opened, ${same("findings", findings, "0")}`;
      });
      return kinds.join("; ");
    },
  },
  {
    id: "keyboard",
    area: "dashboard",
    show: "order, mint, run, revoke, and a plan from a template, with the mouse blocked (A8)",
    bar: "done by keyboard alone, with a visible focus at every press",
    command: browser("e2e/keyboard.spec.ts"),
    figure: (output) => {
      const [subscriber] = find(output, /keyboard: order, mint, run and revoke in (\d+) presses/);
      const [builder] = find(output, /keyboard: a plan in (\d+) presses/);
      return `${subscriber} presses to order, mint, run and revoke; ${builder} to a plan`;
    },
  },
  {
    id: "many-rows",
    area: "dashboard",
    show: "10 000 calls in the activity log, read to the end (A18)",
    bar: "median wheel frame under 18.2 ms, under 120 rows rendered, a filter within 300 ms",
    command: browser("e2e/activity.spec.ts", "-g", "10,000 rows"),
    figure: (output) => {
      const [wheel, late, dragged, filter] = find(
        output,
        /wheel median frame ([\d.]+) ms, 95th ([\d.]+) ms; dragged median ([\d.]+) ms, .*filter (\d+) ms/,
      );
      return `${below("wheel ms", Number(wheel), 18.2)} (95th ${late}), dragged ${dragged} ms, ${below("filter ms", Number(filter), 301)}`;
    },
  },
  {
    id: "page-weight",
    area: "dashboard",
    show: "script on a first visit, gzip, of twelve pages (ADR 35, 42)",
    bar: "lists at most 178 KB, plan builder and playground 215, checkout 350",
    command: node("scripts/proof/pages/page-weight.ts"),
    figure: (output) => {
      const [heaviest] = find(output, /heaviest list page (\d+) KB/);
      return below("heaviest list KB", Number(heaviest), 178);
    },
  },
  {
    id: "lighthouse",
    area: "dashboard",
    show: "Lighthouse on twelve pages of the production build, desktop and mobile, median of 3",
    bar: "95 or more in performance, accessibility, best practices and SEO",
    command: node("scripts/proof/pages/lighthouse.ts"),
    figure: (output) => {
      const [lowest] = find(output, /lowest median (\d+)/);
      return atLeast("lowest median", Number(lowest), 95);
    },
  },
  {
    id: "page-tenants",
    area: "dashboard",
    show: "every page with an id and every read of the browser, as other tenants and without a session, for each kind of request",
    bar: "404, sign-in or 401, and no data of another tenant",
    command: browser("e2e/tenants.spec.ts"),
    figure: (output) => {
      const [pages, answers, leaks = ""] = find(
        output,
        /tenants: (\d+) pages, (\d+) answers to others, (\d+) leaks/,
      );
      const [reads, more] = find(output, /tenants: (\d+) reads, (\d+) answers to others, 0 leaks/);
      const asked = `${pages} pages, ${reads} reads, ${Number(answers) + Number(more)} answers`;
      return `${asked}, ${same("leaks", leaks, "0")}`;
    },
  },
  {
    id: "page-csrf",
    area: "dashboard",
    show: "every server action and handler of the build from eight foreign origins, without a session, and open redirects",
    bar: "none is accepted; no redirect leaves the site",
    command: browser("e2e/changes.spec.ts"),
    figure: (output) => {
      const [actions, requests, taken = ""] = find(
        output,
        /csrf: (\d+) actions, (\d+) foreign requests, (\d+) taken/,
      );
      atLeast("actions", Number(actions), 30);
      return `${actions} actions, ${requests} requests, ${same("taken", taken, "0")}`;
    },
  },
  {
    id: "page-policy",
    area: "dashboard",
    show: "nine hostile texts in every field, every page opened with them under the content security policy",
    bar: "text stays text: no dialogs, no violations, only http(s) links",
    command: browser("e2e/policy.spec.ts"),
    figure: (output) => {
      const [routes, visits, broken = ""] = find(
        output,
        /policy: (\d+) routes, (\d+) visits with hostile text, (\d+) violations/,
      );
      return `${routes} routes, ${visits} visits, ${same("violations", broken, "0")}`;
    },
  },
  {
    id: "limits",
    area: "dashboard",
    show: "per-minute rate limits on sign-in, on the API and on outbound calls (ADR 34); HSTS",
    bar: "429 with Retry-After and the next step, on the page too",
    command: vitest(
      "lib/server/pipeline/rate-limits.test.ts",
      "lib/server/http/client-address.test.ts",
    ),
    figure: testsPassed,
  },
  {
    id: "limits-in-pages",
    area: "dashboard",
    show: "the third sign-in from an address, the second probe of an account",
    bar: "rejected, and the page says why",
    command: browser("e2e/rate-limits.spec.ts"),
    figure: passedInBrowser,
  },
];
