// SPDX-License-Identifier: BSD-3-Clause
// Job files of `matrix`: GitHub's schema of workflows, the types of Kubernetes, and what each job has to say.
import {validateWorkflow} from '@action-validator/core';
import {Job} from 'kubernetes-models/batch/v1/Job';
import {ConfigMap} from 'kubernetes-models/v1/ConfigMap';
import {PersistentVolumeClaim} from 'kubernetes-models/v1/PersistentVolumeClaim';
import {readFileSync} from 'node:fs';
import {parse, parseAllDocuments} from 'yaml';

import {check, finish, torchpatch, work} from './lib.mjs';

const kRequest = ['--versions', '>=1.4 <1.11', '--boards', 'tx2,ultra96,rpi4,graviton2', '--cache', 'ccache'];

function write(engine) {
  torchpatch('matrix', ...kRequest, '--emit', engine, '--output', engine);
  const file = (name) => readFileSync(`${work}/${engine}/${name}`, 'utf8');
  return {file, matrix: JSON.parse(file('matrix.json'))};
}

const github = write('github-actions');
const workflow = github.file('.github/workflows/torchpatch-matrix.yml');
check(validateWorkflow(workflow).errors.length === 0, 'the workflow follows the schema');
check(validateWorkflow(workflow.replace('runs-on', 'run-on')).errors.length > 0, 'the schema sees what is wrong');
const jobs = parse(workflow).jobs;
check(jobs.pair.strategy.matrix.include.length === github.matrix.pairs.length, 'a job for each pair');
check(jobs.pair.strategy['fail-fast'] === false && jobs.gather.if === 'always()', 'a failure stops nothing');
for (const each of jobs.pair.strategy.matrix.include) {
  const pair = github.matrix.pairs.find((other) => other.id === each.pair);
  check(each.runner.includes('self-hosted') === (pair.recipe === 'native') && each.minutes === pair.size.minutes, `the runner of ${each.pair}`);
}

const gitlab = write('gitlab-ci');
const pipeline = parse(gitlab.file('.gitlab-ci.yml'));
for (const pair of gitlab.matrix.pairs) {
  const job = pipeline[pair.id];
  check(job?.extends === '.pair' && job.variables.PAIR === pair.id, `a job for ${pair.id}`);
  check(JSON.stringify(job.tags ?? []) === JSON.stringify((pair.recipe === 'native') ? [pair.board] : []), `the tags of ${pair.id}`);
}

const kubernetes = write('kubernetes');
const models = {ConfigMap, Job, PersistentVolumeClaim};
const documents = ['storage', 'sources', 'pairs', 'gather'].flatMap((name) =>
  parseAllDocuments(kubernetes.file(`${name}.yaml`)).map((document) => document.toJS()));
const numbers = [];
for (const document of documents) {
  const what = `${document.kind} ${document.metadata.name}`;
  try {
    new models[document.kind](document).validate();
    check(true, `${what} has the types of Kubernetes`);
  } catch (error) {
    check(false, `${what}: ${error.message}`);
  }
  check(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(document.metadata.name), `${what}: the name is one of DNS`);
  if (document.kind === 'ConfigMap') {
    for (const [name, text] of Object.entries(document.data)) check(text === kubernetes.file(name), `${name} comes through whole`);
  }
  if (document.spec?.completionMode !== 'Indexed') continue;
  const pairs = document.spec.template.spec.containers[0].env.find((each) => each.name === 'PAIRS').value.split(' ');
  check(pairs.length === document.spec.completions, `${what}: an index for each pair`);
  numbers.push(...pairs.map(Number));
}
numbers.sort((a, b) => a - b);
check(JSON.stringify(numbers) === JSON.stringify(kubernetes.matrix.pairs.map((_, index) => index + 1)), 'every pair is in one job');

finish();
