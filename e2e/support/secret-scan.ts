import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page, Response } from "@playwright/test";

/** A planted secret, and where it may appear. */
export type Canary = {
  name: string;
  text: string;
  /** Places that show it on purpose, such as the response that issues it. */
  shownIn?: RegExp;
};

export type SecretScan = {
  /** Records the page's requests, responses and console from now on. */
  watch: (page: Page) => Promise<void>;
  /** Reads the page's markup, storage and databases. */
  keepPage: (page: Page) => Promise<void>;
  keep: (place: string, text: string) => void;
  keepFolder: (place: string, folder: string, ignored?: RegExp) => Promise<void>;
  places: () => number;
  /** `canary in place` for each leak; `shown` for the places where it may appear. */
  find: (canaries: readonly Canary[]) => Promise<{ hits: string[]; shown: string[] }>;
};

const READ_IN_PAGE = ["fetch", "eventsource"];
const TEXT = /html|json|javascript|text|x-component|x-ndjson|event-stream/;

/** Collects everything that could contain a secret, and searches it. */
export function createSecretScan(): SecretScan {
  const kept: { place: string; text: string }[] = [];
  const reading: Promise<void>[] = [];
  const keep = (place: string, text: string) => void kept.push({ place, text });
  const readAnswer = async (response: Response) => {
    const request = response.request();
    const place = `answer of ${request.method()} ${new URL(response.url()).pathname}`;
    const { "set-cookie": _cookie, ...headers } = await response.allHeaders();
    keep(`headers of ${place}`, JSON.stringify(headers));
    // Fetches and streams of events are read in the page: the browser keeps no body of streams, and some never end.
    if (
      TEXT.test(headers["content-type"] ?? "") &&
      !READ_IN_PAGE.includes(request.resourceType())
    ) {
      keep(place, await response.text().catch(() => ""));
    }
  };
  return {
    keep,
    async watch(page) {
      await page.exposeFunction("__answered", keep);
      await page.addInitScript(tellAnswers);
      page.on("request", (request) => {
        keep("an address", `${request.url()} ${request.headers().referer ?? ""}`);
      });
      page.on("console", (message) => keep("the console", message.text()));
      page.on("response", (response) => {
        if (/^https?:\/\/(localhost|127\.0\.0\.1)/.test(response.url())) {
          reading.push(readAnswer(response).catch(() => {}));
        }
      });
    },
    async keepPage(page) {
      const at = new URL(page.url()).pathname;
      keep(`markup of ${at}`, await page.content());
      for (const [name, text] of Object.entries(await page.evaluate(readStorages))) {
        keep(`${name} at ${at}`, text);
      }
    },
    async keepFolder(place, folder, ignored) {
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        if (ignored?.test(path)) continue;
        keep(`${place}: ${path.slice(folder.length + 1)}`, await readFile(path, "latin1"));
      }
    },
    places: () => kept.length,
    async find(canaries) {
      await Promise.all(reading);
      const found = canaries.flatMap(({ name, text, shownIn }) =>
        kept
          .filter((one) => spellings(text).some((spelling) => one.text.includes(spelling)))
          .map(({ place }) => ({ line: `${name} in ${place}`, isMeant: shownIn?.test(place) })),
      );
      const lines = (isMeant: boolean) => [
        ...new Set(found.filter((one) => Boolean(one.isMeant) === isMeant).map(({ line }) => line)),
      ];
      return { hits: lines(false), shown: lines(true) };
    },
  };
}

/** A secret's encodings: plain, URL-encoded and Base64. */
const spellings = (text: string): string[] => [
  text,
  encodeURIComponent(text),
  Buffer.from(text).toString("base64").replace(/=+$/, ""),
];

/** Runs in the page: reads a copy of every fetched response, and every event of a stream. */
function tellAnswers() {
  const told = (window as never as { __answered(place: string, text: string): Promise<void> })
    .__answered;
  const fetchAsBefore = window.fetch.bind(window);
  window.fetch = async (...input: Parameters<typeof fetch>) => {
    const response = await fetchAsBefore(...input);
    const method = input[1]?.method ?? (input[0] as Request).method ?? "GET";
    const path = new URL(response.url || location.href, location.href).pathname;
    const copy = response.clone();
    void copy.text().then(
      (text) => told(`answer of ${method} ${path}`, text),
      () => {},
    );
    return response;
  };
  window.EventSource = class extends EventSource {
    constructor(url: string | URL, init?: EventSourceInit) {
      super(url, init);
      for (const type of ["message", "opened", "report", "signed-out"]) {
        this.addEventListener(type, ({ data }: MessageEvent) => {
          void told(`events of ${this.url}`, String(data));
        });
      }
    }
  };
}

/** Runs in the page. */
async function readStorages(): Promise<Record<string, string>> {
  const rowsOf = (store: IDBObjectStore) =>
    new Promise<unknown[]>((done, fail) => {
      const all = store.getAll();
      all.onsuccess = () => done(all.result);
      all.onerror = () => fail(all.error);
    });
  const open = (name: string) =>
    new Promise<IDBDatabase>((done, fail) => {
      const request = indexedDB.open(name);
      request.onsuccess = () => done(request.result);
      request.onerror = () => fail(request.error);
    });
  const rows: unknown[] = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await open(name ?? "");
    for (const store of database.objectStoreNames) {
      rows.push(store, await rowsOf(database.transaction(store).objectStore(store)));
    }
    database.close();
  }
  return {
    "local storage": JSON.stringify(localStorage),
    "session storage": JSON.stringify(sessionStorage),
    IndexedDB: JSON.stringify(rows),
  };
}
