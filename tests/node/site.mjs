// SPDX-License-Identifier: BSD-3-Clause
// The documentation that `torchpatch docs` writes, in a real browser, opened as files: every page valid, every link
// alive, accessible in both colour schemes, readable on a phone and without scripts, and the search finds what is pasted.
import {createHash} from 'node:crypto';
import {existsSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {StaticConfigLoader, HtmlValidate} from 'html-validate';
import {check, finish, openBrowser, openPage, torchpatch, work} from './lib.mjs';
import {noisyLog} from './noisy_log.mjs';

torchpatch('docs', '--output', 'site');
torchpatch('docs', '--output', 'again');
const site = path.join(work, 'site');
const files = readdirSync(site, {recursive: true, withFileTypes: true}).filter((entry) => entry.isFile())
  .map((entry) => path.relative(site, path.join(entry.path, entry.name))).sort();
const pages = files.filter((name) => name.endsWith('.html'));
const text = new Map(files.map((name) => [name, readFileSync(path.join(site, name), 'utf8')]));
const samples = ['index.html', 'symptoms.html', 'boards.html', 'releases.html', 'patches.html', 'coverage.html',
  'issues/nccl-device-link.html', 'issues/zynq-backend-missing.html', 'boards/tx2.html', 'releases/1.1.0.html', 'patches/cuda-threads.html'];
// What was found good once is not looked at again while page and style sheet are the same.
const memoryFile = path.join(process.env.TORCHPATCH_BUILD, 'site-pages.json');
const known = new Set(existsSync(memoryFile) ? JSON.parse(readFileSync(memoryFile, 'utf8')) : []);
const good = [];
const digest = (what, name) => createHash('sha256').update([what, text.get(name), text.get('style.css')].join('\0')).digest('hex');
async function once(what, name, look) {
  const id = digest(what, name);
  if (known.has(id) || await look()) good.push(id);
}
// Each page of .ci/full, every eighth of the gate, is validated and laid out: pages of one kind are made by the same lines.
const looked = process.env.TORCHPATCH_ALL_PAGES ? pages : pages.filter((name, i) => i % 8 === 0 || samples.includes(name));
const url = (name) => pathToFileURL(path.join(site, name)).href;

check(pages.length > 150, `there are pages for all of the catalog: ${pages.length}`);
for (const name of files) check(text.get(name) === readFileSync(path.join(work, 'again', name), 'utf8'), `the same bytes: ${name}`);

// Valid HTML. Lines of patches may end in a space: they are what they are.
const validator = new HtmlValidate(new StaticConfigLoader({
  extends: ['html-validate:recommended'], root: true, rules: {'no-trailing-whitespace': 'off'},
}));
for (const name of looked) {
  await once('html-validate 9.7.1', name, () => {
    const report = validator.validateStringSync(text.get(name), name);
    const first = report.valid ? null : report.results[0].messages[0];
    check(report.valid, `valid: ${name}${first ? `:${first.line}: ${first.message} (${first.ruleId})` : ''}`);
    return report.valid;
  });
}

// Every link within the site leads to a file, every fragment to an id; links elsewhere are https.
const ids = new Map(pages.map((name) => [name, new Set([...text.get(name).matchAll(/ id="([^"]+)"/g)].map((match) => match[1]))]));
for (const name of pages) {
  for (const [, address] of text.get(name).matchAll(/ (?:href|src)="([^"]+)"/g)) {
    if (/^[a-z]+:/.test(address)) {
      check(/^(?:https?|mailto):/.test(address), `harmless: ${address} in ${name}`);
      continue;
    }
    const [file, fragment] = address.split('#');
    const target = file === '' ? name : path.normalize(path.join(path.dirname(name), file));
    check(text.has(target), `leads somewhere: ${address} in ${name}`);
    if (fragment) check(ids.get(target)?.has(fragment), `is there: ${address} in ${name}`);
  }
}

// The same of the tree of Markdown.
torchpatch('docs', '--format', 'md', '--output', 'md');
const markdown = new Map(readdirSync(path.join(work, 'md'), {recursive: true}).filter((name) => name.endsWith('.md'))
  .map((name) => [name, readFileSync(path.join(work, 'md', name), 'utf8')]));
check(markdown.size > 150, `there are pages of Markdown: ${markdown.size}`);
for (const [name, page] of markdown) {
  for (const [, address] of page.replace(/^(`{3,})[^]*?^\1$/gm, '').matchAll(/\]\(([^<)\s]+)\)/g)) {
    const target = path.normalize(path.join(path.dirname(name), address));
    check(/^(?:https?:|mailto:|#)/.test(address) || markdown.has(target), `leads somewhere: ${address} in ${name}`);
  }
}

const browser = await openBrowser();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const wideError = 'nvlink error : entry function with max regcount of 80 calls function with regcount of 96';

for (const colorScheme of ['light', 'dark']) {
  const page = await openPage(browser, {colorScheme, viewport: {width: 1280, height: 900}, bypassCSP: true});
  for (const name of samples) {
    await page.goto(url(name));
    if (name === 'index.html' || name.startsWith('issues/')) {
      await page.fill('#search-text', `x\n${wideError}`);
      await page.waitForSelector('#search-results a');
    }
    await page.evaluate(axe);
    const {violations} = await page.evaluate('axe.run({preload: false})');
    for (const each of violations) check(false, `axe, ${colorScheme}, ${name}: ${each.id}: ${each.nodes[0].html}`);
    check(violations.length === 0, `accessible: ${name}, ${colorScheme}`);
  }
  await page.context().close();
}

const phone = await openPage(browser, {viewport: {width: 360, height: 740}});
for (const name of looked) {
  await once('360 pixels', name, async () => {
    await phone.goto(url(name));
    const width = await phone.evaluate('document.scrollingElement.scrollWidth');
    check(width <= 360, `no sideways scrolling on a phone: ${name} is ${width} wide`);
    return width <= 360;
  });
}
await phone.context().close();

// The box stands on every page, and what it needs comes when it is used.
const hand = await openPage(browser, {viewport: {width: 390, height: 844}});
for (const name of pages) check(/<search id="search"[^>]* hidden>/.test(text.get(name)), `a box for errors: ${name}`);
for (const [name, found] of [['issues/cmake-4.html', 'nccl-device-link.html'], ['boards/tx2.html', '../issues/nccl-device-link.html'],
  ['symptoms.html', 'issues/nccl-device-link.html']]) {
  await hand.goto(url(name));
  check(await hand.evaluate("typeof torchpatchIndex === 'undefined'"), `nothing to search is loaded unasked: ${name}`);
  await hand.fill('#search-text', wideError);
  await hand.waitForSelector('#search-results a');
  check(await hand.evaluate('document.scrollingElement.scrollWidth') <= 390, `what is found does not scroll sideways: ${name}`);
  const place = "document.querySelector('h1').getBoundingClientRect().top + scrollY";
  const before = await hand.evaluate(place);
  await hand.evaluate('document.activeElement.blur()');
  check(await hand.evaluate(place) === before, `nothing moves when the box loses the focus: ${name}`);
  const link = await hand.evaluate("document.querySelector('#search-results a').href");
  check(link === new URL(found, url(name)).href, `found from ${name}: ${link}`);
  await hand.click('#search-results a');
  await hand.waitForURL(url('issues/nccl-device-link.html'));
  check((await hand.textContent('h1')).includes('NCCL'), `the search of ${name} leads to the issue`);
}
await hand.goto(url('boards/tx2.html'));
check(!(await hand.isVisible('details:not([open]) li')), 'lists of older releases open when asked');
await hand.emulateMedia({media: 'print'});
check(await hand.isVisible('details:not([open]) li'), 'on paper they are open');
check(!(await hand.isVisible('#search-text')), 'paper has no search box');
await hand.context().close();

// What a page begins with.
const order = (name) => [...text.get(name).matchAll(/<h2 id="([^"]+)"/g)].map((match) => match[1]);
for (const name of pages.filter((each) => each.startsWith('issues/'))) {
  const sections = order(name);
  check(sections[0] === 'what-to-do', `begins with what to do: ${name}`);
  check(sections.indexOf('how-to-verify') < sections.indexOf('cause'), `the cause comes last: ${name}`);
}
check(order('index.html').slice(0, 3).join() === 'i-have-an-error,i-want-to-build,i-must-review', 'three ways in');

// The picker: a board, an image and a release give the command and the issues.
const picking = await openPage(browser, {viewport: {width: 390, height: 844}});
await picking.goto(url('index.html'));
const boxes = picking.locator('.picker select');
check(await boxes.count() === 3, 'the first page has a picker');
const command = () => picking.locator('.picked pre').textContent();
await boxes.nth(0).selectOption('tx2');
check(/^torchpatch build --version 1\.[0-9.]+ --board tx2 --output out$/.test(await command()), `no image is named where it is the default: ${await command()}`);
await boxes.nth(1).selectOption({label: 'JetPack 4.6 to 4.6.6 (jetpack-4.6)'});
await boxes.nth(2).selectOption({label: '1.1.0'});
check(await command() === 'torchpatch build --version 1.1.0 --board tx2 --image jetpack-4.6 --output out', `the image is named: ${await command()}`);
const planned = JSON.parse(torchpatch('explain', '--version', '1.1.0', '--board', 'tx2', '--image', 'jetpack-4.6', '--json')).issues
  .filter((each) => each.status !== 'not_affected').map((each) => each.id).sort();
const listed = await picking.locator('.picked li a').evaluateAll((links) => links.map((link) => link.getAttribute('href').replace(/^issues\/|\.html$/g, '')).sort());
check(listed.join() === planned.join(), `the picker lists what explain lists: ${listed.length} and ${planned.length}`);
check(await picking.evaluate('document.scrollingElement.scrollWidth') <= 390, 'the picker fits a phone');
await picking.goto(url('boards/rpi4.html'));
check((await picking.locator('.picker label').allTextContents()).every((label) => !label.startsWith('Board')), 'the page of a board has chosen it');
const images = await picking.locator('.picker select').first().locator('option').count() - 1;
const board = JSON.parse(torchpatch('show', 'board', 'rpi4', '--json'));
check(images === board.images.length, `every image can be picked: ${images}`);
for (const {id} of board.images) check(text.get('boards/rpi4.html').includes(`<code>${id}</code>: `), `every image is on its board's page: ${id}`);
await picking.goto(url('boards/tx2.html'));
for (const frame of await picking.locator('.copyable').all()) {
  const block = await frame.locator('pre').boundingBox(), button = await frame.locator('button').boundingBox();
  check(button.y >= block.y + block.height, 'the copy button covers nothing on a phone');
}
await picking.context().close();

// The coverage: one column per board; vendor and image choose among them.
const covering = await openPage(browser, {viewport: {width: 1280, height: 900}});
await covering.goto(url('coverage.html'));
const heads = () => covering.locator('.heat-map thead th:visible').allTextContents();
check((await heads()).length === pages.filter((name) => name.startsWith('boards/')).length, 'all boards are in the map');
const square = (release, board) => covering.evaluate(([row, column]) => {
  const {rows} = document.querySelector('.heat-map');
  const at = [...rows[0].cells].findIndex((cell) => cell.textContent === column);
  const {className, textContent, title} = [...rows].find((each) => each.cells[0].textContent === row).cells[at];
  return {className, textContent, title};
}, [release, board]);
const byDefault = await square('1.8.1', 'rpi4');
check(byDefault.textContent.endsWith(' ●') && byDefault.className.includes('numerics'), `what was run is marked: ${byDefault.textContent}`);
await covering.locator('.picker select').nth(0).selectOption('Raspberry Pi');
check((await heads()).join() === 'rpi3,rpi4,rpi5', `a vendor's boards: ${await heads()}`);
await covering.locator('.picker select').nth(1).selectOption('debian-12');
check((await square('1.8.1', 'rpi4')).textContent.endsWith('●') === false, 'what was run on another image is not marked');
await covering.locator('.picker select').nth(1).selectOption('debian-11');
check((await square('1.8.1', 'rpi4')).title.includes('numerics passed, 2026-11-25'), 'the title says when');
await covering.locator('.picker select').nth(1).selectOption('');
check((await square('1.8.1', 'rpi4')).textContent === byDefault.textContent, 'the default comes back');
check(await covering.locator('.legend').evaluate((each) => getComputedStyle(each).position) === 'sticky', 'the legend stays in view');
await covering.context().close();

// Without scripts: no box that does nothing, and an index that serves.
const plain = await openPage(browser, {javaScriptEnabled: false});
await plain.goto(url('index.html'));
check(!(await plain.isVisible('#search-text')), 'without scripts there is no search box');
check(await plain.isVisible('noscript a[href="symptoms.html"]'), 'without scripts the index of symptoms is named');
check(await plain.isVisible('a[href="issues/cmake-4.html"]'), 'without scripts the issues are listed');
check(await plain.locator('.picker').count() === 0 && await plain.isVisible('h3 + ul > li > a[href="boards/tx2.html"]'), 'without scripts there are the cards');
await plain.context().close();

// The search, in the page itself.
const page = await openPage(browser, {viewport: {width: 1280, height: 900}});
await page.goto(url('index.html'));
/// Goes to the box, as who pastes does, and waits for what it loads.
const goToBox = async () => {
  await page.focus('#search-text');
  // The policy of the page lets nobody poll in it.
  const isLoaded = () => typeof torchpatchIssues !== 'undefined' && typeof torchpatchEngine !== 'undefined';
  while (!(await page.evaluate(isLoaded))) await new Promise((resolve) => setTimeout(resolve, 20));
};
await goToBox();
const issues = await page.evaluate('torchpatchIssues');
check(issues.length === pages.filter((name) => name.startsWith('issues/')).length, 'every issue can be found');

/// Returns what the page shows for a text: the ids in order, how many share the first place, the first line and its marks.
const find = (pasted) => page.evaluate(async (value) => {
  const box = document.getElementById('search-text');
  box.value = value;
  box.dispatchEvent(new Event('input'));
  const state = document.getElementById('search-state');
  state.textContent = 'searching';
  while (state.textContent === 'searching') await new Promise((resolve) => { setTimeout(resolve, 2); });
  const items = [...document.querySelectorAll('#search-results > li')];
  return {
    ids: items.map((item) => item.querySelector('a').getAttribute('href').replace(/^issues\/|\.html$/g, '')),
    line: items[0]?.querySelector('.hit').textContent,
    marked: items[0]?.querySelectorAll('mark').length,
    doubt: items[0]?.textContent.includes('possible'),
    state: document.getElementById('search-state').textContent,
  };
}, pasted);

// The cases that the program is held to, too (tests/command/diagnose_test.cpp), alone and in a log.
const cases = JSON.parse(readFileSync(new URL('../data/diagnose/cases.json', import.meta.url), 'utf8'));
check(cases.length > 20, `there are cases: ${cases.length}`);
for (const {log, first, confidence} of cases) {
  // A noisy log has a place before the first line, where ninja's FAILED: is none.
  const isNinja = log[0].startsWith('FAILED: ');
  for (const pasted of [log.join('\n'), ...isNinja ? [] : [noisyLog(log.join('\n'))]]) {
    const {ids, doubt, marked} = await find(pasted);
    check((ids[0] ?? '') === first, `${log.at(-1)}: ${first}, not ${ids.join(' ')}`);
    check(first === '' || doubt === (confidence === 'possible'), `${log.at(-1)}: ${confidence}`);
    check(first === '' || marked > 0, `the words are marked: ${log.at(-1)}`);
  }
}
check((await find('Illegal instruction')).ids[0] === 'illegal-instruction', 'a short message is found as a whole line');
check((await find('Killed')).ids[0] === 'out-of-memory', 'one plain word, too');
for (const issue of issues) {
  let isFound = false;
  for (const symptom of issue.symptoms) isFound ||= (await find(symptom)).ids.includes(issue.id);
  check(isFound, `found by a symptom: ${issue.id}`);
}

for (const unrelated of ['hello world', 'make: *** [all] Error 2', 'collect2: error: ld returned 1 exit status', 'npm ERR! code ELIFECYCLE',
  'The quick brown fox jumps over the lazy dog', "ImportError: No module named numpy", 'No such file or directory',
  'Segmentation fault (core dumped)', 'pip install torch', '0x7ffd 12 3.4', '\u001b[31m\u001b[0m', noisyLog('all is well')]) {
  const {ids, state} = await find(unrelated);
  check(ids.length === 0, `no known issue: ${unrelated.slice(0, 50)}: ${ids.join(' ')}`);
  check(state.startsWith('No known issue'), `says so: ${state}`);
}
for (const [typed, id] of [['nvlink', 'nccl-device-link'], ['nvlink error', 'nccl-device-link'], ['PILLOW_VERSION', 'pillow-7'], ['magma', 'magma-missing'], ['NCCL', 'default-backend-2.0'],
  ['The wrong torchvision for this torch: undefined symbol, or operator torchvision::nms does not exist', 'torchvision-pairing']]) {
  check((await find(typed)).ids[0] === id, `found by a few words: ${typed}: ${(await find(typed)).ids}`);
}
check((await find('  \n ')).state === '', 'nothing is said of nothing');
const hostile = await find('<img src=x onerror=alert(1)> CMake 3.13 or higher is required. You are running version 3.10.2');
check(hostile.line.includes('<img src=x'), 'what is pasted stays text');
// Eighteen seconds where each looked for the line that it ends; the limit leaves room for a busy machine.
const returns = Date.now();
await find(`${'\r'.repeat(100000)}x\n${'x\r'.repeat(50000)}`);
check(Date.now() - returns < 6000, `100,000 carriage returns take ${Date.now() - returns} ms`);
// A log of 200,000 lines, in a worker and where there is none: the end counts, the page answers meanwhile.
const long = Array.from({length: 200000}, (_, i) => `[${i}/200000] c++ -DX=${i} -o build/${i}.o -c aten/src/ATen/${i}.cpp`).join('\n') + `\n${wideError}`;
/// Returns the longest time in which the page did nothing else, and all of the time, while `text` is searched.
const stall = (text) => page.evaluate(async (value) => {
  const box = document.getElementById('search-text');
  const state = document.getElementById('search-state');
  box.value = value;
  let longest = 0;
  state.textContent = 'searching';
  box.dispatchEvent(new Event('input'));
  await new Promise((resolve) => { setTimeout(resolve, 150); });
  const started = performance.now();
  for (let last = started; state.textContent === 'searching';) {
    await new Promise((resolve) => { setTimeout(resolve); });
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  return {longest, total: performance.now() - started, first: document.querySelector('#search-results a').getAttribute('href')};
}, text);
for (const how of ['a worker', 'slices']) {
  await page.reload();
  await goToBox();
  if (how === 'slices') await page.evaluate('window.Worker = undefined');
  // The best of three, of six where it seems slow: another program may have the processor for a while.
  let {longest, total, first} = await stall(long);
  for (let again = 0; again < 2 || (again < 5 && longest >= 250); again += 1) {
    const next = await stall(long + `\n${' '.repeat(again)}x`);
    longest = Math.min(longest, next.longest);
    total = Math.min(total, next.total);
  }
  check(first === 'issues/nccl-device-link.html', `the end of a long log counts, in ${how}: ${first}`);
  // A second and 50 ms on a machine of its own; the limits leave room for a busy one.
  check(total < 5000, `200,000 lines in ${how} take ${Math.round(total)} ms`);
  check(longest < 250, `the page stands still for ${Math.round(longest)} ms, in ${how}`);
  console.log(`200,000 lines in ${how}: ${Math.round(total)} ms, still for ${Math.round(longest)} ms`);
}

// The keyboard alone.
await find('');
await page.click('h1');
await page.keyboard.press('/');
check(await page.evaluate("document.activeElement.id === 'search-text'"), '/ goes to the box');
await page.keyboard.insertText("ModuleNotFoundError: No module named 'torch._C'");
await page.waitForSelector('#search-results a');
await page.keyboard.press('ArrowDown');
await page.keyboard.press('ArrowDown');
check(await page.evaluate("document.activeElement === document.querySelectorAll('#search-results a')[1]"), 'arrows walk through the results');
await page.keyboard.press('ArrowUp');
await page.keyboard.press('ArrowUp');
check(await page.evaluate("document.activeElement.id === 'search-text'"), 'and back');
await page.keyboard.press('Enter');
await page.waitForURL(/issues\/extension-/);
check(await page.isVisible('h1'), 'Enter opens the first result');
check(await page.evaluate("document.querySelector('.copyable .copy') !== null"), 'code can be copied');
await page.goBack();
await page.goto(`${url('index.html')}#q=${encodeURIComponent('CMake 3.18 or higher is required.')}`);
await page.waitForSelector('#search-results a[href="issues/cmake-below-3.18.html"]');
await browser.close();
writeFileSync(memoryFile, JSON.stringify(good));
finish();
