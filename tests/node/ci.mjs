// SPDX-License-Identifier: BSD-3-Clause
// action.yml and the component for GitLab: the schema of actions, and what their steps do on the embedded stand-in.
import {validateAction} from '@action-validator/core';
import {spawnSync} from 'node:child_process';
import {chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {parse, parseAllDocuments} from 'yaml';

import {check, finish, work} from './lib.mjs';

const root = new URL('../..', import.meta.url).pathname;

// The stand-in comes in the place of the network, and each call is noted.
mkdirSync(`${work}/bin`);
writeFileSync(`${work}/bin/torchpatch`, `#!/bin/bash
printf '<%s>' "$@" >>calls
echo >>calls
case $1 in
  prepare) exec "$TORCHPATCH" "$@" --source sample --quiet ;;
  verify) exec "$TORCHPATCH" "$@" --catalog sample ;;
esac
`);
chmodSync(`${work}/bin/torchpatch`, 0o755);

/// Runs a step in a directory of its own; the values of inputs are in its environment alone.
function run(directory, script, variables, shell) {
  mkdirSync(`${work}/${directory}`, {recursive: true});
  const options = {cwd: `${work}/${directory}`, encoding: 'utf8', env: {...process.env, PATH: `${work}/bin:${process.env.PATH}`, ...variables}};
  return spawnSync(shell, shell === 'bash' ? ['-eo', 'pipefail', '-c', script] : ['-ec', script], options);
}

const calls = (directory) => readFileSync(`${work}/${directory}/calls`, 'utf8');
const kInputs = {version: '1.1.0', board: 'tx2', image: 'jetpack-3.3', options: '--set\nCC=gcc "7"\n', mirror: '', signature: '', output: 'out', wheels: 'dist; touch evil', 'board-image': 'jetpack-3.3', stage: 'build'};
const kExpected = `<prepare><--version><1.1.0><--board><tx2><--image><jetpack-3.3><--set><CC=gcc "7"><--output><out>
<verify><out>
<wheel><check><dist; touch evil/*.whl><--board><tx2><--image><jetpack-3.3>
`;

const text = readFileSync(`${root}/action.yml`, 'utf8');
check(validateAction(text).errors.length === 0, 'action.yml follows the schema');
check(validateAction(text.replace('using:', 'use:')).errors.length > 0, 'the schema sees what is wrong');
const action = parse(text);
for (const step of action.runs.steps) {
  check(!step.run.includes('${{'), `step ${step.name}: no input stands in the script`);
  const variables = Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, kInputs[/^\$\{\{ inputs\.([a-z]+) \}\}$/.exec(value)[1]]]));
  const done = run('github', step.run, variables, step.shell);
  check(done.status === 0, `step ${step.name} ends well: ${done.stderr}`);
}
check(calls('github') === kExpected, `the steps of the action: ${calls('github')}`);
check(Object.keys(action.inputs).every((name) => text.includes(`inputs.${name}`)), 'every input is used');

const template = readFileSync(`${root}/templates/torchpatch.yml`, 'utf8');
const [header, body] = template.split('\n---\n');
const inputs = parse(header).spec.inputs;
check(Object.keys(inputs).every((name) => body.includes(`$[[ inputs.${name} ]]`)), 'every input of the component is used');
const [job] = Object.values(parse(body));
for (const line of job.script) check(!line.includes('$[['), 'no input stands in the script');
const variables = Object.fromEntries(Object.entries(job.variables).map(([name, value]) => [name, kInputs[/^\$\[\[ inputs\.([a-z-]+) \]\]$/.exec(value)[1]]]));
const done = run('gitlab', job.script.join('\n'), variables, 'sh');
check(done.status === 0, `the script of the component ends well: ${done.stderr}`);
check(calls('gitlab') === kExpected, `the script of the component: ${calls('gitlab')}`);
for (const place of ['github', 'gitlab']) {
  check(existsSync(`${work}/${place}/out/torchpatch/manifest.json`), `${place}: the tree is there`);
  check(!existsSync(`${work}/${place}/evil`), `${place}: values stay words`);
}
check(parseAllDocuments(template).every((each) => each.errors.length === 0), 'the component is YAML');

finish();
