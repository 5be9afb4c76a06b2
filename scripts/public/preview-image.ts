import { readFileSync } from "node:fs";

const font = (name: string) =>
  readFileSync(
    `node_modules/@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`,
  ).toString("base64");

const STYLE = `
  @font-face { font-family: Sans; src: url(data:font/woff2;base64,${font("geist")}); font-weight: 100 900 }
  @font-face { font-family: Mono; src: url(data:font/woff2;base64,${font("geist-mono")}); font-weight: 100 900 }
  body { width: 1200px; height: 630px; box-sizing: border-box; padding: 72px 80px; background: #fcfcfd;
    color: #16181d; font-family: Sans; display: grid; grid-template-rows: auto 1fr auto }
  .logo { height: 40px } .logo svg { height: 40px; width: auto }
  h1 { align-self: center; font-size: 76px; line-height: 1.06; letter-spacing: -.035em; font-weight: 640 }
  .call { border: 1.5px solid #dfe2e7; border-radius: 14px; font: 25px/1 Mono; overflow: hidden }
  .call div { display: grid; grid-template-columns: 96px 1fr auto; align-items: center; padding: 19px 28px }
  .call div + div { border-top: 1.5px solid #dfe2e7 }
  .call .asked { background: #eef4fb; box-shadow: inset 5px 0 #2a6db0 }
  .call .settled { background: #eef7f0; box-shadow: inset 5px 0 #23774a }
  .status { font: 560 22px/1 Sans } .asked .status { color: #1f5b97 } .settled .status { color: #1b6740 }
`;

/** What other sites show for a link to Turnpike: the name, the promise, and one paid call. */
export const previewImage = (): string => `
  <style>${STYLE}</style>
  <div class="logo">${readFileSync("public/brand/logo.svg", "utf8")}</div>
  <h1>Paid access<br>to AI agents</h1>
  <div class="call">
    <div class="asked"><b>402</b><span>payment-required</span><span class="status">1 credit</span></div>
    <div class="settled"><b>200</b><span>payment-response</span><span class="status">Settled</span></div>
  </div>`;
