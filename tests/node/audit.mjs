// SPDX-License-Identifier: BSD-3-Clause
// The audit's page in a browser, with and without script, and its SARIF against the official schema.
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

import {HtmlValidate} from 'html-validate';

import {check, finish, openBrowser, openPage, torchpatch, work} from './lib.mjs';

const require = createRequire(import.meta.url);
const pair = ['--version', '1.1.0', '--board', 'tx2'];
const audit = (...args) => torchpatch('audit', '--quiet', ...(args[0] === '--all' ? [] : ['--source', 'sample']), ...args);

// SARIF
const requireSarif = createRequire(require.resolve('@microsoft/jest-sarif'));
const Ajv = requireSarif('ajv');  // one that reads draft 4
const ajv = new Ajv({schemaId: 'auto', allErrors: true, unknownFormats: 'ignore', logger: false});
ajv.addMetaSchema(requireSarif('ajv/lib/refs/json-schema-draft-04.json'));
const validate = ajv.compile(requireSarif('./schemas/sarif-2.1.0-rtm.5.json'));
for (const what of [pair, ['--all']]) {
  const sarif = JSON.parse(audit(...what, '--format', 'sarif'));
  check(validate(sarif), `SARIF of ${what.join(' ')}: ${ajv.errorsText(validate.errors)}`);
  check(sarif.runs[0].results.length > 0, `SARIF of ${what.join(' ')} has results`);
}
check(!validate({version: '2.1.0'}), 'the schema refuses a log without runs');

// The pages
const htmlValidate = new HtmlValidate({extends: ['html-validate:recommended'], rules: {
  'long-title': 'off',  // a title names release, board and image
  'no-trailing-whitespace': 'off',  // code has what it has
  'attribute-boolean-style': 'off',
  'tel-non-breaking': 'off',
  'no-inline-style': 'error',
}});
const pages = {
  plan: audit(...pair, '--context', '60', '--format', 'html'),
  all: audit('--all', '--format', 'html'),
  none: audit('--version', '1.1.0', '--board', 'ultra96', '--format', 'html'),
  against: torchpatch('audit', '--quiet', '--version', '1.5.0', '--board', 'tx2', '--against', '1.1.0', '--format', 'html'),
};
check(pages.plan === audit(...pair, '--context', '60', '--format', 'html', '--jobs', '1'), 'equal inputs give equal bytes');
const urls = {};
for (const [name, html] of Object.entries(pages)) {
  const report = await htmlValidate.validateString(html);
  for (const message of report.results.flatMap((each) => each.messages).slice(0, 10)) {
    check(false, `valid HTML (${name}): ${message.line}:${message.column} ${message.ruleId} ${message.message}`);
  }
  check(report.valid, `${name} is valid HTML`);
  writeFileSync(`${work}/${name}.html`, html);
  urls[name] = pathToFileURL(`${work}/${name}.html`).href;
}

const browser = await openBrowser();
const shown = (page) => page.evaluate(() => {
  const view = (name) => [...document.querySelectorAll(`.${name}`)].some((each) => each.checkVisibility());
  return `${view('split') ? 'split ' : ''}${view('unified') ? 'unified' : ''}`.trim();
});

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
for (const [name, colorScheme] of [['plan', 'light'], ['plan', 'dark'], ['against', 'light']]) {
  const page = await openPage(browser, {colorScheme, viewport: {width: 1280, height: 900}});
  await page.goto(urls[name]);
  await page.evaluate(axe);
  const {violations, passes} = await page.evaluate(() => axe.run());
  for (const each of violations) check(false, `axe (${name}, ${colorScheme}): ${each.id}: ${each.nodes[0].html.slice(0, 200)}`);
  check(passes.length > 10, 'axe ran');
  await page.context().close();
}

{
  const page = await openPage(browser, {viewport: {width: 1280, height: 900}});
  await page.goto(urls.plan);
  const broken = await page.evaluate(() => [...document.querySelectorAll('a[href^="#"]')]
    .map((link) => link.getAttribute('href').slice(1)).filter((id) => !document.getElementById(id)));
  check(broken.length === 0, `every anchor resolves: ${broken}`);
  const unlinked = await page.evaluate(() => [...document.querySelectorAll('th a')].map((link) => document.querySelector(link.hash))
    .concat(...document.querySelectorAll('h3, .hunk')).filter((each) => !each.querySelector(`a.anchor[href="#${each.id}"]`)).length);
  check(unlinked === 0, 'patches, files and changes have links to copy');
  check(await shown(page) === 'split', 'side by side where it is wide');
  check(await page.locator('.fold').count() > 0, 'long context is folded');

  await page.keyboard.press('Tab');
  check(await page.evaluate(() => document.activeElement.className) === 'skip', 'the first tab stop skips to the content');
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  check(outline !== 'none', 'focus is visible');
  const hunks = await page.locator('.hunk').evaluateAll((all) => all.map((each) => each.id));
  const at = () => page.evaluate(() => document.activeElement.id);
  await page.keyboard.press('n');
  check(await at() === hunks[0], 'n goes to the first change');
  await page.keyboard.press('n');
  check(await at() === hunks[1], 'n goes on to the next');
  await page.keyboard.press('p');
  check(await at() === hunks[0], 'p goes back');

  await page.emulateMedia({media: 'print'});
  check(await shown(page) === 'unified', 'paper has one column');
  check(!await page.locator('.view').isVisible(), 'paper has nothing to choose');
  check(await page.getByText('Reviewer').isVisible(), 'paper has a line for the reviewer');
  const folded = await page.locator('.fold .unified').first().evaluate((each) => each.checkVisibility({contentVisibilityAuto: true}));
  check(folded, 'nothing is folded on paper');
  await page.context().close();
}

for (const javaScriptEnabled of [true, false]) {
  const page = await openPage(browser, {javaScriptEnabled, viewport: {width: 1280, height: 900}});
  await page.goto(urls.plan);
  const visible = async (name) => await page.locator(`.${name}:visible`).count() > 0; // the first of all may be folded
  await page.check('#view-unified');
  check(await visible('unified') && !await visible('split'), `unified is chosen, script ${javaScriptEnabled}`);
  await page.check('#view-split');
  check(await visible('split') && !await visible('unified'), `side by side is chosen, script ${javaScriptEnabled}`);
  await page.context().close();
}

for (const [name, url] of Object.entries(urls)) {
  const page = await openPage(browser, {viewport: {width: 390, height: 844}});
  await page.goto(url);
  if (name !== 'none') check(await shown(page) === 'unified', `${name}: one column on a phone`);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  check(width <= 390, `${name} does not scroll sideways on a phone: ${width}`);
  const narrow = await page.evaluate(() => [...document.querySelectorAll('.unified .code')]
    .filter((each) => each.checkVisibility() && each.getBoundingClientRect().width < 280).length);
  check(narrow === 0, `${name}: code has the width of a phone`);
  await page.context().close();
}

await browser.close();
finish();
