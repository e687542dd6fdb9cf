// SPDX-License-Identifier: BSD-3-Clause
// Finds the known issues that a log tells of, as `torchpatch diagnose` does (src/search/): the same rules, the same index
// (search-data.js), sums of integers. Runs in a page or in a worker.
'use strict';

const torchpatchEngine = () => {
  const mostWords = 200; // of a line
  const mostWordsOfCommand = 5000; // one that links a library names each object
  const mostMatches = 12;
  const linesAtOnce = 500;

  const isDigit = (c) => c >= 48 && c <= 57;
  const isLetter = (c) => (c >= 97 && c <= 122) || (c >= 65 && c <= 90);
  const beginsWord = (c) => isDigit(c) || isLetter(c) || c === 95;
  const continuesWord = (c) => beginsWord(c) || c === 46 || c === 43;
  const endings = new Set([..."'\"`(<>=,;:[]"].map((each) => each.charCodeAt(0)));
  const endsPath = (c) => c <= 32 || c >= 127 || endings.has(c);
  const thousandth = (product) => Math.floor(product / 1000);

  /// Returns where the control sequence that begins at `at` ends; `at` where none does.
  function skipControl(line, at) {
    let end = at + 1;
    if (line[at] === '\u001b') {
      if (line[end] === ']') {
        while (end < line.length && line[end] !== '\u0007' && line[end] !== '\u001b') end += 1;
        return Math.min(line.length, end + (line[end] === '\u0007' ? 1 : 2));
      }
      if (line[end] === '[') end += 1;
      while (end < line.length && line.charCodeAt(end) >= 0x20 && line.charCodeAt(end) <= 0x3f) end += 1;
      return Math.min(line.length, end + 1);
    }
    while (isDigit(line.charCodeAt(end)) || line[end] === ';') end += 1;
    return line[end] === 'm' || line[end] === 'K' ? end + 1 : at;
  }

  function plainLine(raw) {
    let end = raw.length;
    while (end > 0 && raw[end - 1] === '\r') end -= 1;
    const line = raw.slice(raw.lastIndexOf('\r', end - 1) + 1, end);
    if (!line.includes('\u001b') && !line.includes('[')) return line;
    let plain = '';
    for (let at = 0; at < line.length;) {
      const next = line[at] === '\u001b' || line[at] === '[' ? skipControl(line, at) : at;
      if (next === at) plain += line[at];
      at = Math.max(at + 1, next);
    }
    return plain;
  }

  /// `glibc_2.38` → `glibc_#`: versions and numbers, but not `vld1q_f32`.
  function formOf(word) {
    if (!/\d/.test(word)) return word;
    return word.replace(/\d+(?:\.\d+)*/g, (digits, at) => {
      const before = word[at - 1];
      const isDotted = digits.includes('.') && (at === 0 || /[a-z]{2}/.test(word.slice(Math.max(0, at - 2), at)));
      return digits.length === word.length || isDotted || before === '_' || before === '.' ? '#' : digits;
    });
  }

  function wordsOf(line, most = mostWords) {
    const words = [];
    for (let at = 0; at < line.length && words.length < most;) {
      if (endsPath(line.charCodeAt(at))) {
        at += 1;
        continue;
      }
      let end = at;
      let begin = at;
      for (; end < line.length && !endsPath(line.charCodeAt(end)); end += 1) {
        const c = line.charCodeAt(end);
        if ((c === 47 || c === 92) && end + 1 < line.length && !endsPath(line.charCodeAt(end + 1))) begin = end + 1;
      }
      while (begin < end && words.length < most) {
        if (!beginsWord(line.charCodeAt(begin))) {
          begin += 1;
          continue;
        }
        const first = begin;
        while (begin < end && continuesWord(line.charCodeAt(begin))) begin += 1;
        let last = begin;
        while (line[last - 1] === '.') last -= 1;
        const text = line.slice(first, last).toLowerCase();
        if (isDigit(text.charCodeAt(0))) {
          const before = line[at - 1];
          const after = line[begin];
          const isPlace = first === at && ((before === ':' && begin === end) || (before === '(' && (after === ')' || after === ',')));
          if (isPlace && /^[\d.]+$/.test(text)) continue;
          if (/^0x[\da-f]+$/.test(text)) continue;
        }
        words.push({text, form: formOf(text), start: first, end: last});
      }
      at = end;
    }
    return words;
  }

  const anyOf = (texts) => `(?:${texts.map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`;

  /// The rules as this engine uses them.
  const prepareRules = (rules) => ({...rules, ordinaryBeginning: new RegExp(`[ \\t]*${anyOf(rules.ordinary)}`, 'y'),
    beforeCommand: new RegExp(`[ \\t]*${anyOf(rules.before_a_failed_command)}`, 'y'), progress: /[ \t]*\[ *\d+[%/]/y,
    neverOrdinary: new RegExp(anyOf(rules.never_ordinary)), ordinaryPart: new RegExp(anyOf(rules.ordinary_parts)),
    error: new RegExp(anyOf(rules.errors)), consequence: new RegExp(anyOf(rules.consequences)), plainWords: new Set(rules.plain.join(' ').split(' ')),
    translations: Object.entries(rules.translations)});

  /// Whether a text begins the line, behind the time that a build service puts before each.
  function begins(beginning, line) {
    const isTimed = line.length > 28 && line[10] === 'T' && line[27] === 'Z' && isDigit(line.charCodeAt(0));
    beginning.lastIndex = isTimed ? 29 : 0;
    return beginning.test(line);
  }

  function isOrdinary(rules, line) {
    if (rules.neverOrdinary.test(line)) return false;
    return begins(rules.ordinaryBeginning, line) || rules.ordinaryPart.test(line) || isCommand(rules, line);
  }

  /// Whether a line can be no more than a command or progress.
  function isCommand(rules, line) {
    if (begins(rules.progress, line)) return true;
    let options = 0;
    for (let at = line.indexOf(' -'); at >= 0; at = line.indexOf(' -', at + 2)) {
      if (isLetter(line.charCodeAt(at + 2))) options += 1;
    }
    return options >= rules.options_of_a_command;
  }

  /// What a shell says of a process that a signal ended: "Illegal instruction" of "run.sh: line 295:   10 Illegal
  /// instruction     python3 x.py"; any other line as it is.
  const withoutShell = (line) => (/^.*?: line \d+: +\d+ (.*?)(?:  .*)?$/.exec(line) || [line, line])[1];

  const isPrefix = (wanted) => wanted.text.startsWith('_z') && wanted.text.length < 16;

  /// The index, with its symptoms by their anchors.
  function prepare(index) {
    const byAnchor = new Map();
    const byPrefix = [];
    const symptoms = index.symptoms.map((each, at) => ({...each, at, words: each.words.map((text) => ({text, form: formOf(text)}))}));
    for (const symptom of symptoms) {
      const anchor = symptom.words[symptom.anchor];
      if (isPrefix(anchor)) byPrefix.push(symptom);
      else if (byAnchor.has(anchor.form)) byAnchor.get(anchor.form).push(symptom);
      else byAnchor.set(anchor.form, [symptom]);
    }
    return {rules: prepareRules(index.rules), limits: index.rules.limits, symptoms, byAnchor, byPrefix};
  }

  function gain(wanted, weight, word) {
    if (wanted.text === word.text || (isPrefix(wanted) && word.text.startsWith(wanted.text))) return weight;
    if (wanted.form !== word.form) return 0;
    return wanted.form === '#' ? Math.floor(weight / 2) : Math.floor(weight * 19 / 20);
  }

  function align(symptom, line) {
    const wantedForms = new Set(symptom.words.map((each) => each.form));
    const hasPrefix = symptom.words.some(isPrefix);
    const places = [];
    line.forEach((word, k) => (wantedForms.has(word.form) || (hasPrefix && word.text.startsWith('_z'))) && places.push(k));
    const columns = places.length + 1;
    let above = new Array(columns).fill(0);
    let best = new Array(columns).fill(0);
    let runAbove = new Array(columns).fill(0);
    let run = new Array(columns).fill(0);
    let longest = 0;
    symptom.words.forEach((wanted, i) => {
      best[0] = 0;
      run[0] = 0;
      for (let k = 1; k < columns; k += 1) {
        const gained = gain(wanted, symptom.weights[i], line[places[k - 1]]);
        const follows = k > 1 && places[k - 2] + 1 === places[k - 1];
        run[k] = gained > 0 ? (follows ? runAbove[k - 1] : 0) + gained : 0;
        best[k] = Math.max(above[k], best[k - 1], gained > 0 ? above[k - 1] + gained : 0);
        longest = Math.max(longest, run[k]);
      }
      [above, best] = [best, above];
      [runAbove, run] = [run, runAbove];
    });
    return {share: Math.floor(above[columns - 1] * 1000 / symptom.total), run: Math.floor(longest * 1000 / symptom.total)};
  }

  function scoreOf(limits, symptom, {share, run}) {
    if (share < limits.least_share || (run < limits.least_run && share < limits.scattered_share)) return 0;
    if (symptom.telling === 1 && symptom.words.length > 1 && share < limits.lone_share) return 0;
    if (symptom.telling === 0 && run < limits.phrase_run) return 0;
    const told = thousandth(share * symptom.total);
    const quality = thousandth(thousandth(share * share) * (550 + thousandth(450 * run)));
    return Math.floor(quality * told / (told + limits.half_told));
  }

  /// What several issues print may be of either; a word among others, and a few plain ones, may be of another cause.
  function isSure(limits, symptom, fit, score) {
    if (symptom.shared) return false;
    if (symptom.telling === 0) return symptom.words.length >= limits.phrase_words;
    if (score < limits.match_score) return false;
    return symptom.telling > 1 || (symptom.words.length > 1 && fit.run >= limits.lone_run);
  }

  /// Returns the best hit of each issue, and keeps it where it is the best of the log.
  function look(index, {hits, lastError}, line, words, factor) {
    const found = new Map();
    const candidates = new Set();
    for (const word of words) {
      for (const symptom of index.byAnchor.get(word.form) || []) candidates.add(symptom);
      if (!word.text.startsWith('_z')) continue;
      for (const symptom of index.byPrefix) if (word.text.startsWith(symptom.words[symptom.anchor].text)) candidates.add(symptom);
    }
    for (const symptom of [...candidates].sort((a, b) => a.at - b.at)) {
      const fit = align(symptom, words);
      if (line.isNoise && (fit.share < 1000 || fit.run < 1000)) continue;
      let score = thousandth(scoreOf(index.limits, symptom, fit) * factor);
      // A few plain words tell something where they are all of the line.
      if (symptom.telling === 0 && words.length === symptom.words.length && score > 0) score = Math.max(score, index.limits.least_score);
      if (score < index.limits.least_score) continue;
      const confidence = isSure(index.limits, symptom, fit, score) ? 'match' : 'possible';
      if (line.isNoise && confidence !== 'match') continue;
      const hit = {issue: symptom.issue, symptom: symptom.text, confidence, line: line.text, number: line.number, score, conditions: symptom.conditions};
      for (const best of [found, hits]) {
        const known = best.get(symptom.issue);
        if (!known || score >= known.score) best.set(symptom.issue, hit);
      }
      if (line.isError && (!lastError.best || score > lastError.best.score)) lastError.best = hit;
    }
    return found;
  }

  /// Looks at a line alone and joined with the next, for tools wrap their messages.
  function lookAt(index, state, line, next) {
    if (line.isError) state.lastError = {best: state.joined};
    const alone = look(index, state, line, line.words, 1000);
    state.joined = null;
    if (!next || line.isNoise) return;
    for (const [issue, hit] of look(index, state, line, [...line.words, ...next.words], 970)) {
      // What the next line adds is of it as well.
      const isOfBoth = !alone.has(issue) || hit.score > alone.get(issue).score;
      if (isOfBoth && (!state.joined || hit.score > state.joined.score)) state.joined = hit;
    }
  }

  const textsOf = (words) => wordsOf(words).map((each) => each.text);

  /// The list with the issue first whose title the text is.
  function byTitle(issues, text, list) {
    const line = text.length > 1000 ? '' : plainLine(text.trim());
    const title = textsOf(line).join(' ');
    const titled = line && !line.includes('\n') && issues.find((issue) => title === textsOf(issue.title).join(' '));
    if (!titled) return list;
    const hit = {issue: titled.id, confidence: 'match', symptom: titled.symptoms[0], line, number: 1};
    return [hit, ...list.filter((each) => each.issue !== titled.id)].slice(0, mostMatches);
  }

  /// For a few words that somebody types, on one line: the issues whose title or name has words that begin with them, then
  /// those that need a symptom for it; one word must tell something.
  function byWords(index, issues, text) {
    const line = plainLine(text.trim());
    const wanted = textsOf(line);
    const tells = wanted.some((word) => !index.rules.plainWords.has(word) && !/^[\d.]+$/.test(word));
    if (line.length > 80 || line.includes('\n') || wanted.length === 0 || isOrdinary(index.rules, line)) return [];
    const have = (words) => wanted.every((begin) => words.some((word) => word.startsWith(begin)));
    const named = [];
    const others = [];
    for (const issue of issues) {
      const names = textsOf(`${issue.title} ${issue.id.replace(/-/g, ' ')}`);
      const hit = {issue: issue.id, confidence: 'possible', symptom: issue.symptoms[0], line, number: 1};
      if (tells && have(names)) {
        named.push(hit);
        continue;
      }
      const symptom = tells && issue.symptoms.find((each) => have([...textsOf(each), ...names]));
      if (symptom) others.push({...hit, symptom});
    }
    return [...named, ...others].slice(0, mostMatches);
  }

  /// Returns the issues that a text tells of, best first: {issue, confidence, symptom, line, number, score}; `issues` are
  /// those that a few words are looked for in. A generator, so that a page can do something else meanwhile; `yield` says
  /// nothing.
  function* search(index, text, issues = []) {
    const state = {hits: new Map(), lastError: null, joined: null, isCommandNext: false};
    const {rules} = index;
    let before = null;
    let number = 0;
    for (let from = 0; from <= text.length;) {
      let to = from;
      for (let count = 0; count < linesAtOnce && to >= 0; count += 1) to = text.indexOf('\n', to) < 0 ? -1 : text.indexOf('\n', to) + 1;
      const part = to < 0 ? text.slice(from) : text.slice(from, to - 1);
      const foreign = rules.translations.filter((each) => part.includes(each[0]));
      for (const raw of part.split('\n')) {
        number += 1;
        const line = {number, text: plainLine(raw)};
        let english = line.text;
        for (const [each, by] of foreign) english = english.replaceAll(each, by);
        line.isNoise = isOrdinary(rules, english);
        line.isError = !line.isNoise && rules.error.test(english) && !rules.consequence.test(english);
        // In a command that failed, and on a line that reports a failure, a symptom counts that stands there word for word.
        const isFailed = state.isCommandNext && isCommand(rules, english);
        if (english.trim()) state.isCommandNext = begins(rules.beforeCommand, english);
        const mayBeLiteral = line.isNoise && rules.error.test(english) && !isCommand(rules, english);
        if (isFailed) line.words = wordsOf(english, mostWordsOfCommand);
        else line.words = line.isNoise && !mayBeLiteral ? [] : wordsOf(withoutShell(english));
        if (before) lookAt(index, state, before, line.words.length > 0 && !line.isNoise ? line : null);
        before = line.words.length > 0 ? line : null;
      }
      if (to < 0) break;
      from = to;
      yield;
    }
    if (before) lookAt(index, state, before, null);
    const all = [...state.hits.values()].sort((a, b) => b.score - a.score || a.conditions - b.conditions || (a.issue < b.issue ? -1 : 1));
    const list = all.filter((each) => each.score >= thousandth(all[0].score * index.limits.near_best)).slice(0, mostMatches);
    // What ended the build is answered, however sure an earlier line is.
    const best = state.lastError?.best;
    if (best && !list.some((each) => each.issue === best.issue)) list.splice(1, 0, best);
    return byTitle(issues, text, list.length > 0 ? list : byWords(index, issues, text));
  }

  /// Returns the parts of a line that have words of a symptom; what lies close together is one.
  function marks(symptom, line) {
    const wanted = new Set(wordsOf(symptom).map((each) => each.form));
    const parts = [];
    for (const {form, start, end} of wordsOf(line, mostWordsOfCommand)) {
      if (!wanted.has(form)) continue;
      const last = parts[parts.length - 1];
      if (last && start - last.end <= 3) last.end = end;
      else parts.push({start, end});
    }
    return parts;
  }

  return {prepare, search, marks, wordsOf, plainLine, isOrdinary, isCommand};
};
