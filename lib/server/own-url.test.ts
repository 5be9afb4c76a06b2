import { expect, test } from "vitest";
import { ownUrl } from "./own-url.ts";

test.each([
  ["127.0.0.1", "http://127.0.0.1:3000"],
  ["localhost", "http://localhost:3000"],
  ["0.0.0.0", "http://127.0.0.1:3000"],
  ["::", "http://[::1]:3000"],
  ["192.168.1.20", "http://192.168.1.20:3000"],
  ["fd00::1", "http://[fd00::1]:3000"],
])("a service that listens on %s is called at %s", (host, url) => {
  expect(ownUrl({ host, port: 3000 })).toBe(url);
});
