// Opens HTML reports in headless Chromium, in light and dark, on wide and narrow screens, on paper and without scripts.
// Fails for a message on the console, a request to a network, a violation of axe-core, a page that scrolls sideways, or
// a control that does not work.
//
//     node check.mjs CHROMIUM FOLDER PAGE.html ...
//
// Writes screenshots to FOLDER.

import axe from "axe-core";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [executablePath, folder, ...pages] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const failures = [];

for (const path of pages) {
  const name = basename(path, ".html");
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 390]) {
      await check(path, `${name}-${colorScheme}-${width}`, { colorScheme, viewport: { width, height: 900 } });
    }
  }
  await check(path, `${name}-plain`, { javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
}
await browser.close();
for (const failure of failures) console.error(failure);
console.log(`${pages.length} pages, ${failures.length} failures`);
process.exitCode = failures.length ? 1 : 0;

// Opens a page once and checks it.
async function check(path, title, options) {
  const fail = (what) => failures.push(`${title}: ${what}`);
  // The policy of a page forbids scripts other than its own, and axe-core is one.
  const context = await browser.newContext({ ...options, bypassCSP: true });
  const page = await context.newPage();
  const own = pathToFileURL(resolve(path)).href;
  page.on("console", (message) => fail(`console: ${message.text()}`));
  page.on("pageerror", (error) => fail(`error: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (url !== own && !url.startsWith("data:")) fail(`request: ${url}`);
  });
  await page.goto(own);
  await page.screenshot({ path: `${folder}/${title}.png`, fullPage: true });
  if (options.javaScriptEnabled === false) {
    await context.close();
    return;
  }
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (overflow > 0) fail(`the page is ${overflow} pixels wider than the screen`);
  await violations(page, fail);
  await controls(page, fail);
  await violations(page, fail);
  if (options.viewport.width > 1000 && options.colorScheme === "light") {
    await page.pdf({ path: `${folder}/${title}.pdf`, format: "A4" });
  }
  await context.close();
}

// Runs axe-core with all rules, those of best practices included.
async function violations(page, fail) {
  await page.evaluate(axe.source);
  const result = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  for (const { id, help, nodes } of result.violations) {
    const places = nodes.slice(0, 3).map((node) => `${node.target.join(" ")} (${node.failureSummary ?? ""})`);
    fail(`axe: ${id}: ${help}, ${nodes.length} times: ${places.join("; ")}`);
  }
}

// Uses the controls of the page by keyboard: the skip link, details, sorting and filters.
async function controls(page, fail) {
  await page.keyboard.press("Tab");
  const skip = await page.evaluate(() => document.activeElement.textContent);
  if (skip !== "Skip to the content") fail(`the first control is "${skip}"`);
  await page.keyboard.press("Enter");
  if ((await page.evaluate(() => document.activeElement.id)) !== "main") fail("the skip link does not skip");
  for (const summary of await page.locator("summary").all()) {
    if (!(await summary.isVisible())) continue;
    await summary.focus();
    await page.keyboard.press("Enter");
    if (!(await summary.evaluate((one) => one.parentElement.open))) fail("details do not open by keyboard");
  }
  for (const table of await page.locator("table[data-tools]").all()) {
    const rows = () => table.evaluate((one) => [...one.tBodies].filter((b) => !b.hidden).map((b) => b.rows[0].cells[0].textContent));
    const before = await rows();
    await table.locator("thead button").first().focus();
    await page.keyboard.press("Enter");
    const sorted = [...before].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    if (JSON.stringify(await rows()) !== JSON.stringify(sorted)) fail("the table is not sorted");
    const caption = await table.locator("caption").textContent();
    const filter = page.getByLabel(`Filter: ${caption}`);
    await filter.fill("no row has this text");
    if ((await rows()).length) fail("the filter hides no rows");
    await filter.fill("");
    if ((await rows()).length !== before.length) fail("the filter loses rows");
  }
}
