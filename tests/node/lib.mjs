// SPDX-License-Identifier: BSD-3-Clause
// What the node tests share: the program, checks that are counted, and a browser without a network.
import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';

export const work = process.env.WORK;

/// Runs the built program and returns what it prints; throws where it fails.
export function torchpatch(...args) {
  return execFileSync(process.env.TORCHPATCH, args, {encoding: 'utf8', maxBuffer: 256 << 20, cwd: work});
}

let passed = 0;
const failures = [];

/// One check; all are run, and finish() fails where one did.
export function check(condition, what) {
  if (condition) {
    passed += 1;
  } else {
    failures.push(what);
    console.error(`FAILED: ${what}`);
  }
}

/// Prints the counts and ends; to be called last.
export function finish() {
  console.log(`${passed} passed, ${failures.length} failed`);
  process.exit(failures.length > 0 || passed === 0 ? 1 : 0);
}

/// Says that a tool is missing and ends as skipped.
export function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(125);
}

/// Opens Debian's Chromium; every request that is not for a file or data is refused and counted as a failed check.
export async function openBrowser() {
  const executablePath = '/usr/bin/chromium';
  if (!existsSync(executablePath)) skip('chromium is missing');
  const {chromium} = await import('playwright-core');
  return chromium.launch({executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']});
}

/// Returns a page that reports console errors, failed scripts and attempts to reach a network as failed checks.
export async function openPage(browser, options = {}) {
  const context = await browser.newContext(options);
  await context.route(/^(?!file:|data:|blob:)/, (route) => {
    check(false, `no network: ${route.request().url()}`);
    return route.abort();
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') check(false, `no console error: ${message.text()}`);
  });
  page.on('pageerror', (error) => check(false, `no failed script: ${error.message}`));
  return page;
}
