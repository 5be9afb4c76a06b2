import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import {
  isParameter,
  matchesMethod,
  matchesSegments,
  normalizePath,
  parseRouteKey,
  pathOf,
} from "./match-route.ts";

describe("route keys (§4.5)", () => {
  test("have a method and a path; both spellings of a parameter are one", () => {
    expect(parseRouteKey("post /threads/:id/runs/{run}")).toEqual({
      method: "POST",
      segments: ["threads", ":id", "runs", "{run}"],
    });
    expect([":id", "{id}", "id", "{id", "i:d"].map(isParameter)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
  test.each(["", "/ask", "POST", "POST ask", "POST/ask", "PO ST /ask", " POST /ask"])(
    "%j is malformed",
    (key) => {
      expect(parseRouteKey(key)).toBeNull();
    },
  );
});

describe("paths", () => {
  test("are read as a router reads them", () => {
    expect(normalizePath("/a//b/./c/../d%20e/")).toEqual(["a", "b", "d e"]);
    expect(normalizePath("/../..")).toEqual([]);
    expect(normalizePath("/%252e")).toEqual(["%2e"]);
  });
  test.each(["/%", "/%c0", "/%zz", "/a%2fb", "/a%5Cb", "/a\\b", "/a\0", "/a%00"])(
    "%j is not decodable",
    (path) => {
      expect(normalizePath(path)).toBeNull();
    },
  );
  property.prop([fc.string({ unit: "binary" })])("no path makes the reader throw", (path) => {
    const segments = normalizePath(path);
    if (segments) expect(segments.some((segment) => /[/\\\0]/.test(segment))).toBe(false);
  });
  test("are matched in URLs, with or without an origin", () => {
    expect(pathOf("https://agent.example:8443/a/:id?x#y")).toBe("/a/:id");
    expect(pathOf("https://agent.example")).toBe("/");
    expect(pathOf("/a?x")).toBe("/a");
    expect(pathOf("a")).toBe("/a");
  });
});

test("parameters match by position, everything else exactly", () => {
  expect(matchesSegments(["a", ":id"], ["a", "7"])).toBe(true);
  expect(matchesSegments(["a", "{id}"], ["b", "7"])).toBe(false);
  expect(matchesSegments(["a", ":id"], ["a"])).toBe(false);
  expect(matchesSegments(["a"], ["A"])).toBe(false);
});

test("HEAD counts as GET, and nothing else as another", () => {
  expect(matchesMethod("GET", "HEAD")).toBe(true);
  expect(matchesMethod("HEAD", "GET")).toBe(false);
  expect(matchesMethod("POST", "POST")).toBe(true);
});
