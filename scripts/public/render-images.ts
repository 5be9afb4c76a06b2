// `npm run public:images`: renders the icons and the preview image in `public/` from the marks beside them.
import { readFileSync, writeFileSync } from "node:fs";
import { type Browser, chromium } from "@playwright/test";
import { chromiumLaunchOptions } from "../../e2e/support/chromium.ts";
import { previewImage } from "./preview-image.ts";

const ICON = readFileSync("public/icon.svg", "utf8");
/** The same mark with room around it, so that a platform can cut any shape out of it. */
const MASKABLE = ICON.replace('rx="7"', "").replace(
  /<g fill="none"(.*)<\/g>/,
  '<g transform="translate(4.8 4.8) scale(.7)" fill="none"$1</g>',
);

const browser = await chromium.launch(await chromiumLaunchOptions());
try {
  for (const size of [192, 512]) {
    writeFileSync(`public/icon-${size}.png`, await render(browser, ICON, size, size));
  }
  writeFileSync("public/icon-maskable-512.png", await render(browser, MASKABLE, 512, 512));
  writeFileSync("public/apple-touch-icon.png", await render(browser, MASKABLE, 180, 180));
  const icons = [];
  for (const size of [16, 32, 48]) {
    icons.push({ size, png: await render(browser, ICON, size, size) });
  }
  writeFileSync("public/favicon.ico", toIco(icons));
  writeFileSync("public/og.png", await render(browser, previewImage(), 1200, 630));
} finally {
  await browser.close();
}

async function render(from: Browser, markup: string, width: number, height: number) {
  const page = await from.newPage({ viewport: { width, height } });
  const fill = "<style>*{margin:0}body>svg{display:block;width:100vw;height:100vh}</style>";
  await page.setContent(`${fill}${markup}`);
  await page.evaluate("document.fonts.ready");
  const png = await page.screenshot({ omitBackground: true });
  await page.close();
  return png;
}

/** An icon file: a directory of PNG images, which every current browser reads. */
function toIco(icons: readonly { size: number; png: Buffer }[]): Buffer {
  const header = Buffer.alloc(6 + icons.length * 16);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(icons.length, 4);
  let offset = header.length;
  for (const [index, { size, png }] of icons.entries()) {
    const at = 6 + index * 16;
    header.writeUInt8(size, at);
    header.writeUInt8(size, at + 1);
    header.writeUInt16LE(1, at + 4);
    header.writeUInt16LE(32, at + 6);
    header.writeUInt32LE(png.length, at + 8);
    header.writeUInt32LE(offset, at + 12);
    offset += png.length;
  }
  return Buffer.concat([header, ...icons.map(({ png }) => png)]);
}
