// SPDX-License-Identifier: BSD-3-Clause
// SBOMs and provenance of prepared sample trees: official schemas where there are any, what the specifications say
// besides, and that every name in them leads somewhere.
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {PackageURL} from 'packageurl-js';

import {check, finish, torchpatch, work} from './lib.mjs';

const require = createRequire(import.meta.url);
const schemas = require.resolve('@cyclonedx/cyclonedx-library/package.json').replace('package.json', 'res/schema/');
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const sha1 = (bytes) => createHash('sha1').update(bytes).digest('hex');
const same = (a, b) => JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());
const unique = (list) => new Set(list).size === list.length;
const kUuid = /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/// One prepared tree: its directory, manifest and companions.
function prepare(name, ...options) {
  torchpatch('prepare', '--source', 'sample', '--output', name, '--quiet', ...options);
  const directory = `${work}/${name}/torchpatch`;
  const bytes = readFileSync(`${directory}/manifest.json`);
  const manifest = JSON.parse(bytes);
  const time = new Date(manifest.timestamp * 1000).toISOString().replace('.000Z', 'Z');
  return {
    name, directory, manifest, time, digest: sha256(bytes),
    cdx: readJson(`${directory}/sbom.cdx.json`),
    spdx: readJson(`${directory}/sbom.spdx.json`),
    vex: readJson(`${directory}/openvex.json`),
    provenance: readJson(`${directory}/provenance.intoto.json`),
  };
}

const cdxSchema = readJson(`${schemas}bom-1.6.SNAPSHOT.schema.json`);
const licenceSchema = readJson(`${schemas}spdx.SNAPSHOT.schema.json`);
const ajv = new Ajv({strict: false, allErrors: true});
addFormats(ajv);
ajv.addFormat('iri-reference', true);
ajv.addFormat('idn-email', true);
for (const name of ['spdx', 'jsf-0.82']) {
  ajv.addSchema(readJson(`${schemas}${name}.SNAPSHOT.schema.json`), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
}
const isCycloneDx = ajv.compile(cdxSchema);
const licenceIds = new Set(licenceSchema.enum);
// No package of npm or Debian has the schema of SPDX 2.3; SPDX_SCHEMA=FILE names a copy of schemas/spdx-schema.json from
// https://github.com/spdx/spdx-spec at v2.3.
const isSpdx = process.env.SPDX_SCHEMA ? ajv.compile(readJson(process.env.SPDX_SCHEMA)) : null;
if (!isSpdx) console.log('SPDX_SCHEMA names no schema: SPDX documents are held to the rules of its text alone');

const allComponents = (list) => list.flatMap((each) => [each, ...allComponents(each.components ?? [])]);

function checkPurl(text, commit, what) {
  const purl = PackageURL.fromString(text);
  check(purl.version === commit, `${what}: the purl names the commit`);
  check(purl.toString() === text || purl.type === 'generic', `${what}: the purl is canonical: ${text}`);
}

function checkCycloneDx(tree) {
  const {cdx, manifest, name, directory} = tree;
  const what = `${name} cdx`;
  check(isCycloneDx(cdx), `${what}: schema: ${JSON.stringify(isCycloneDx.errors?.slice(0, 3))}`);
  check(kUuid.test(cdx.serialNumber), `${what}: serial number`);
  check(cdx.metadata.timestamp === tree.time, `${what}: time`);
  const components = [cdx.metadata.component, ...allComponents(cdx.components)];
  const refs = components.map((each) => each['bom-ref']);
  check(refs.every(Boolean) && unique(refs), `${what}: references are unique`);
  for (const {ref, dependsOn = []} of cdx.dependencies) {
    for (const each of [ref, ...dependsOn]) check(refs.includes(each), `${what}: dependency ${each} is a component`);
  }
  check(same(cdx.dependencies.map((each) => each.ref), ['tree', ...manifest.repositories.map((each) => each.path)]),
        `${what}: every repository has its dependencies`);
  const children = cdx.dependencies.flatMap((each) => each.dependsOn ?? []);
  check(same(children, manifest.repositories.map((each) => each.path)), `${what}: every repository lies in one other`);
  check(cdx.metadata.component.swhid[0] === `swh:1:dir:${manifest.tree}`, `${what}: SWHID of the tree`);
  for (const repository of manifest.repositories) checkRepository(tree, repository);
  const patched = cdx.components.flatMap((each) => each.pedigree?.patches ?? []);
  check(patched.length === manifest.patches.length, `${what}: every patch once`);
  for (const each of components) {
    for (const {license} of each.licenses ?? []) check(licenceIds.has(license.id), `${what}: licence ${license.id}`);
  }
  for (const {url, hashes} of cdx.externalReferences) {
    const bytes = readFileSync(`${directory}/${url}`);
    if (hashes) check(hashes[0].content === sha256(bytes), `${what}: hash of ${url}`);
  }
}

function checkRepository({cdx, manifest, name, directory}, repository) {
  const what = `${name} cdx ${repository.path}`;
  const component = cdx.components.find((each) => each['bom-ref'] === repository.path);
  checkPurl(component.purl, repository.commit, what);
  const isChanged = repository.base_tree !== repository.patched_tree;
  check(component.swhid[0] === (isChanged ? `swh:1:dir:${repository.patched_tree}` : `swh:1:rev:${repository.commit}`),
        `${what}: SWHID`);
  check(!isChanged || component.pedigree.ancestors[0].swhid[0] === `swh:1:rev:${repository.commit}`, `${what}: ancestor`);
  const patches = manifest.patches.filter((each) => each.repository === repository.path);
  const told = component.pedigree?.patches ?? [];
  check(told.length === patches.length, `${what}: its patches`);
  for (const [index, patch] of patches.entries()) {
    const copy = readFileSync(`${directory}/${patch.file}`);
    const {diff, resolves} = told[index];
    check(Buffer.from(diff.text.content, 'base64').equals(copy), `${what}: ${patch.file} is the copy`);
    check(diff.url === patch.file, `${what}: where ${patch.file} is`);
    check(same(resolves.map((each) => each.id), patch.issues), `${what}: what ${patch.file} resolves`);
    for (const each of resolves) {
      const issue = manifest.answered_issues.find(({id}) => id === each.id);
      check(each.name === issue.title && each.description.endsWith(issue.severity) && same(each.references, issue.links),
            `${what}: ${each.id}`);
    }
  }
  const files = manifest.added_files.filter((each) => each.repository === repository.path);
  check(same((component.components ?? []).map((each) => each.name), files.map((each) => each.path)),
        `${what}: its added files`);
}

// The rules of the text of SPDX 2.3 that concern these documents, by clause.
const kSpdxId = /^SPDXRef-[A-Za-z0-9.-]+$/;
const kRelationships = ['DESCRIBES', 'CONTAINS', 'DESCENDANT_OF', 'PATCH_APPLIED', 'PATCH_FOR', 'FILE_ADDED'];
const kLocators = {
  purl: /^pkg:(github|generic)\/\S+@[0-9a-f]{40}/,
  swh: /^swh:1:(dir|rev):[0-9a-f]{40}$/,
  gitoid: /^gitoid:(tree|commit):sha1:[0-9a-f]{40}$/,
  advisory: /^https:\/\/\S+$/,
  fix: /^https:\/\/\S+$/,
};
const kCategories = {purl: 'PACKAGE-MANAGER', swh: 'PERSISTENT-ID', gitoid: 'PERSISTENT-ID', advisory: 'SECURITY', fix: 'SECURITY'};
const isLicence = (text) => text === 'NOASSERTION' || licenceIds.has(text);

function checkSpdx(tree) {
  const {spdx, manifest, name, directory} = tree;
  const what = `${name} spdx`;
  const uuid = tree.cdx.serialNumber.slice('urn:uuid:'.length);
  if (isSpdx) check(isSpdx(spdx), `${what}: schema: ${JSON.stringify(isSpdx.errors?.slice(0, 3))}`);
  check(spdx.spdxVersion === 'SPDX-2.3' && spdx.dataLicense === 'CC0-1.0', `${what}: 6.1, 6.2`);
  check(spdx.SPDXID === 'SPDXRef-DOCUMENT', `${what}: 6.3`);
  check(new URL(spdx.documentNamespace).protocol === 'https:' && !spdx.documentNamespace.includes('#') &&
        spdx.documentNamespace.endsWith(uuid), `${what}: 6.5 namespace`);
  check(spdx.creationInfo.created === tree.time, `${what}: 6.9 time`);
  check(spdx.creationInfo.creators.every((each) => /^(Tool|Person|Organization): \S/.test(each)), `${what}: 6.8 creators`);
  const ids = [spdx.SPDXID, ...spdx.packages.map((each) => each.SPDXID), ...spdx.files.map((each) => each.SPDXID)];
  check(ids.every((id) => kSpdxId.test(id)) && unique(ids), `${what}: 7.2, 8.2 identifiers`);
  for (const each of spdx.packages) checkPackage(each, `${what} ${each.name}`);
  for (const each of spdx.files) {
    const bytes = readFileSync(`${directory}/../${each.fileName}`);
    check(each.fileName.startsWith('./'), `${what}: 8.1 ${each.fileName}`);
    const sums = Object.fromEntries(each.checksums.map((sum) => [sum.algorithm, sum.checksumValue]));
    check(sums.SHA1 === sha1(bytes) && sums.SHA256 === sha256(bytes), `${what}: 8.4 checksums of ${each.fileName}`);
  }
  const packages = new Map(spdx.packages.map((each) => [each.SPDXID, each]));
  for (const {spdxElementId: from, relationshipType: type, relatedSpdxElement: to} of spdx.relationships) {
    check(ids.includes(from) && ids.includes(to), `${what}: 11.1 ${from} ${type} ${to}`);
    check(kRelationships.includes(type), `${what}: 11.1 ${type}`);
    // 7.8: a package whose files were not analysed contains no files.
    check(type !== 'CONTAINS' || (packages.has(from) && packages.has(to)), `${what}: 7.8 ${from} contains ${to}`);
  }
  const count = (type) => spdx.relationships.filter((each) => each.relationshipType === type).length;
  check(count('DESCRIBES') === 1, `${what}: describes the tree`);
  check(count('CONTAINS') === manifest.repositories.length, `${what}: every repository lies in one other`);
  check(count('PATCH_APPLIED') === manifest.patches.length && count('PATCH_FOR') === manifest.patches.length,
        `${what}: every patch`);
  check(count('FILE_ADDED') === manifest.added_files.length, `${what}: every added file`);
}

function checkPackage(each, what) {
  check(each.name && each.downloadLocation, `${what}: 7.1, 7.7`);
  check(each.downloadLocation === 'NOASSERTION' || /^git\+https:\/\/\S+@[0-9a-f]{40}$/.test(each.downloadLocation),
        `${what}: 7.7 download location`);
  check(each.filesAnalyzed === false && !each.packageVerificationCode && !each.licenseInfoFromFiles, `${what}: 7.8, 7.9`);
  check(isLicence(each.licenseDeclared) && isLicence(each.licenseConcluded), `${what}: 7.13, 7.15 licence`);
  for (const {referenceCategory, referenceType, referenceLocator} of each.externalRefs) {
    check(kLocators[referenceType].test(referenceLocator), `${what}: annex F: ${referenceLocator}`);
    check(kCategories[referenceType] === referenceCategory, `${what}: 7.21 ${referenceCategory}`);
    if (referenceType === 'purl') PackageURL.fromString(referenceLocator);
  }
}

// in-toto Statement v1 and SLSA provenance v1 have no JSON Schema; this is what their texts demand.
const kDigests = {gitCommit: /^[0-9a-f]{40}$/, gitTree: /^[0-9a-f]{40}$/, sha256: /^[0-9a-f]{64}$/};

function checkDescriptor(each, what) {
  check(each.uri || each.digest || each.content, `${what}: uri, digest or content`);
  for (const [kind, value] of Object.entries(each.digest ?? {})) check(kDigests[kind]?.test(value), `${what}: ${kind}`);
}

function checkProvenance({provenance, manifest, name, directory, digest}) {
  const what = `${name} provenance`;
  check(provenance._type === 'https://in-toto.io/Statement/v1', `${what}: type`);
  check(provenance.predicateType === 'https://slsa.dev/provenance/v1', `${what}: predicate type`);
  check(same(Object.keys(provenance), ['_type', 'subject', 'predicateType', 'predicate']), `${what}: keys`);
  for (const each of provenance.subject) {
    check(Object.keys(each.digest).length > 0, `${what}: subject ${each.name} has a digest`);
    checkDescriptor(each, `${what} ${each.name}`);
  }
  check(unique(provenance.subject.map((each) => each.name)), `${what}: names of subjects are unique`);
  const digests = provenance.subject.flatMap((each) => Object.values(each.digest));
  check(digests.includes(manifest.tree) && digests.includes(digest), `${what}: tree and manifest are subjects`);
  const {buildDefinition, runDetails} = provenance.predicate;
  for (const uri of [buildDefinition.buildType, runDetails.builder.id]) check(new URL(uri).href, `${what}: ${uri}`);
  const parameters = buildDefinition.externalParameters;
  check(parameters.release === manifest.release && parameters.board === manifest.board, `${what}: parameters`);
  check(runDetails.builder.version.torchpatch === manifest.tool_version, `${what}: version`);
  check(kUuid.test(runDetails.metadata.invocationId), `${what}: invocation`);
  for (const each of buildDefinition.resolvedDependencies) checkDescriptor(each, `${what} ${each.name}`);
  const find = (wanted) => buildDefinition.resolvedDependencies.find((each) => each.name === wanted)?.digest;
  for (const each of manifest.repositories) {
    check(find(each.path)?.gitCommit === each.commit, `${what}: ${each.path}`);
  }
  for (const each of manifest.patches) {
    check(find(`torchpatch/${each.file}`)?.sha256 === sha256(readFileSync(`${directory}/${each.file}`)),
          `${what}: ${each.file}`);
  }
}

/// A layer whose fix adds a file, and says in the words of others where it comes from.
function writeLayer(directory) {
  const bytes = '# added\n';
  const metadata = {
    schema: 1, id: 'quiet-start', severity: 'limitation', releases: ['*'], symptoms: ['it starts loudly'],
    fixes: [{id: 'quiet', kind: 'files', summary: 'Add a quiet start', patchset: 'quiet'}],
  };
  const patchset = {
    schema: 1, id: 'quiet', summary: 'Add a quiet start',
    variants: [{id: 'V1', releases: '*', patches: [], files: [
      {file: 'files/quiet start.py', repository: 'torch', path: 'tools/quiet start.py', sha256: sha256(bytes)}]}],
  };
  const page = ['# It starts "loudly"', '', '```json', JSON.stringify(metadata, null, 2), '```', ''];
  for (const heading of ['Symptom', 'Cause', 'Fix', 'How to verify']) page.push(`## ${heading}`, '', 'Noise.', '');
  mkdirSync(`${directory}/known_issues`, {recursive: true});
  mkdirSync(`${directory}/patchsets/quiet/files`, {recursive: true});
  writeFileSync(`${directory}/known_issues/quiet-start.md`, page.join('\n'));
  writeFileSync(`${directory}/patchsets/quiet/patchset.json`, JSON.stringify(patchset, null, 2));
  writeFileSync(`${directory}/patchsets/quiet/files/quiet start.py`, bytes);
  return directory;
}

// OpenVEX has a schema in no package; this is what its text demands, and that it says what the SBOM says.
const kVexStatus = {affected: 'exploitable', fixed: 'resolved_with_pedigree', not_affected: 'not_affected', under_investigation: 'in_triage'};
const kDate = /^\d{4}-\d\d-\d\dT00:00:00Z$/;

function checkVex({vex, cdx, manifest, name}) {
  const what = `${name} vex`;
  check(vex['@context'] === 'https://openvex.dev/ns/v0.2.0' && new URL(vex['@id']).protocol === 'https:', `${what}: context`);
  check(vex.author && vex.version === 1 && kDate.test(vex.timestamp), `${what}: metadata`);
  check(same(vex.statements.map((each) => each.vulnerability.name), manifest.advisories.map((each) => each.id)) &&
        same(cdx.vulnerabilities.map((each) => each.id), manifest.advisories.map((each) => each.id)), `${what}: every advisory`);
  const components = new Map(cdx.components.map((each) => [each['bom-ref'], each]));
  for (const each of vex.statements) {
    const id = each.vulnerability.name;
    check(each.status in kVexStatus && kDate.test(each.timestamp) && each.timestamp <= vex.timestamp, `${what}: ${id}`);
    check(each.status !== 'affected' || each.action_statement, `${what}: ${id} says what to do`);
    check(each.status !== 'not_affected' || each.justification, `${what}: ${id} says why`);
    const told = cdx.vulnerabilities.find((other) => other.id === id);
    check(told.analysis.state === kVexStatus[each.status], `${what}: ${id} as in the SBOM`);
    const [product] = each.products;
    const part = product.subcomponents?.[0] ?? product;
    check(components.get(told.affects[0].ref)?.purl === part['@id'], `${what}: ${id} is of the component in the SBOM`);
    PackageURL.fromString(product['@id']);
  }
}

const golden = new URL('../unit/report/golden/', import.meta.url).pathname;  // the sample has none that affect it
const goldenTree = {
  name: 'golden', manifest: readJson(`${golden}manifest.json`), cdx: readJson(`${golden}sbom.cdx.json`),
  vex: readJson(`${golden}openvex.json`),
};
check(isCycloneDx(goldenTree.cdx), `golden cdx: schema: ${JSON.stringify(isCycloneDx.errors?.slice(0, 3))}`);
checkVex(goldenTree);

const trees = [
  prepare('tx2', '--version', '1.1.0', '--board', 'tx2'),
  prepare('layered', '--version', '1.5.0', '--board', 'tx2', '--catalog', writeLayer(`${work}/layer`)),
  prepare('old', '--version', '1.1.0', '--board', 'tx2', '--unpatched', '--component', 'torch'),
];
check(trees[0].manifest.patches.length > 0, 'the sample has patches');
check(trees[1].manifest.added_files.length === 1, 'the layer adds a file');
for (const tree of trees) {
  checkCycloneDx(tree);
  checkSpdx(tree);
  checkVex(tree);
  checkProvenance(tree);
}
check(unique(trees.map((each) => each.cdx.serialNumber)), 'every tree has its own serial number');
finish();
