// SPDX-License-Identifier: BSD-3-Clause
// Finds the known issue of an error text: one line, or a whole log with colours, paths and numbers. Plain script, so that
// it runs from a file; `torchpatchIssues` (search-data.js) has the texts to look for.
'use strict';

const torchpatchSearch = (() => {
  // Words that every build log has: they tell little, wherever they stand.
  const noise = new Set(('a an and are as at be building built but by c c++ call called can cc1plus cmake cmakefiles command could cxx dir directory error exit ' +
    'fatal failed file for from function g++ gcc has have here if in include included info into is it line linking ' +
    'make member module no not note o of off on object or out pytorch python python3 recent required running s setup ' +
    'status stop stopped such target than that the this to torch traceback type warning was with you').split(' '));
  const mostLines = 20000;
  const longestLine = 2000;
  const mostResults = 12;
  const leastShare = 0.6; // of a symptom's weight that a line must have
  const leastScore = 0.4; // below it, what fits are words that anything may have

  /// Returns what a line ends up as on a terminal, where each carriage return begins it anew. Not by an expression, which
  /// would look at each run of them from each of its places.
  function lastWritten(text) {
    let end = text.length;
    while (end > 0 && text[end - 1] === '\r') end -= 1;
    return text.slice(text.lastIndexOf('\r', end - 1) + 1, end);
  }

  /// Takes colours and what else steers a terminal out, also where the escape byte itself got lost.
  function plain(text) {
    return lastWritten(text.replace(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '')
      .replace(/[\u001b\u009b]\[?[0-9;?]*[ -/]*[@-~]/g, '')
      .replace(/\[(?:\d{1,3}(?:;\d{1,3})*)?[mK]/g, ''));
  }

  /// Returns the words of a line, in lower case, with where they stand: paths are their last part, places in files and
  /// addresses in memory are left out, quotes of all kinds are none.
  function words(line) {
    const found = [];
    const cleaned = line.toLowerCase()
      .replace(/0x[0-9a-f]+/g, (match) => ' '.repeat(match.length))
      .replace(/[^\s'"`‘’“”(<>=,;:[\]]*\//g, (match) => ' '.repeat(match.length))
      .replace(/(\.[a-z][a-z+]{0,4})((?::\d+){1,2}|\(\d+(?:,\d+)?\))/g, (match, end, place) => end + ' '.repeat(place.length));
    for (const match of cleaned.matchAll(/[\p{L}\p{N}_][\p{L}\p{N}_.+]*/gu)) {
      const word = match[0].replace(/[.]+$/, '');
      found.push({word, start: match.index, end: match.index + word.length});
    }
    return found;
  }

  const isNumber = (word) => /^[\d.]+$/.test(word);

  /// Prepares the texts: their words, and how much each word tells.
  function prepare(issues) {
    const entries = [];
    const issuesWith = new Map();
    issues.forEach((issue, number) => issue.symptoms.forEach((symptom, rank) => {
      const entry = {issue, number, rank, symptom, words: words(symptom).map((each) => each.word)};
      for (const word of entry.words) {
        if (!issuesWith.has(word)) issuesWith.set(word, new Set());
        issuesWith.get(word).add(number);
      }
      entries.push(entry);
    }));
    const weights = new Map();
    for (const [word, having] of issuesWith) {
      weights.set(word, Math.log(1 + issues.length / having.size) * (noise.has(word) ? 0.15 : isNumber(word) ? 0.4 : 1));
    }
    const entriesWith = new Map();
    for (const entry of entries) {
      entry.weights = entry.words.map((word) => weights.get(word));
      entry.times = new Map();
      for (const word of entry.words) entry.times.set(word, (entry.times.get(word) || 0) + 1);
      entry.total = entry.weights.reduce((sum, weight) => sum + weight, 0);
      for (const word of new Set(entry.words)) {
        if (!entriesWith.has(word)) entriesWith.set(word, []);
        entriesWith.get(word).push(entry);
      }
    }
    return {entries, entriesWith, weights};
  }

  /// Returns how well a line has the words of an entry, in order: the share of weight that is there, and that of the
  /// longest run without anything between.
  function align(entry, line) {
    const columns = line.length + 1;
    const best = new Float64Array((entry.words.length + 1) * columns);
    const run = new Float64Array(best.length);
    let longest = 0;
    for (let i = 1; i <= entry.words.length; i += 1) {
      for (let k = 1; k < columns; k += 1) {
        const at = i * columns + k;
        const isSame = entry.words[i - 1] === line[k - 1].word;
        if (isSame) {
          run[at] = run[at - columns - 1] + entry.weights[i - 1];
          longest = Math.max(longest, run[at]);
        }
        best[at] = Math.max(best[at - columns], best[at - 1], isSame ? best[at - columns - 1] + entry.weights[i - 1] : 0);
      }
    }
    return {share: best[best.length - 1] / entry.total, run: longest / entry.total};
  }

  /// Returns the parts of a line that have words of the issue's symptoms; what lies close together is one.
  function marks(entry, line) {
    const wanted = new Set(entry.issue.symptoms.flatMap((symptom) => words(symptom).map((each) => each.word)));
    const parts = [];
    for (const {word, start, end} of line) {
      if (!wanted.has(word)) continue;
      const last = parts[parts.length - 1];
      if (last && start - last.end <= 3) last.end = end;
      else parts.push({start, end});
    }
    return parts;
  }

  /// Lines to look at: each alone, and joined with the next, for tools wrap their messages. Repeated ones once.
  function windows(text) {
    const lines = text.split('\n', mostLines).map((line) => plain(line).slice(0, longestLine));
    const seen = new Set();
    const list = [];
    const tokens = lines.map(words);
    const unplaced = ({word}) => ({word, start: -1, end: -1});
    lines.forEach((line, number) => {
      if (tokens[number].length === 0 || seen.has(line)) return;
      seen.add(line);
      list.push({number, line, words: tokens[number]});
      const next = tokens[number + 1];
      if (next && next.length > 0) list.push({number, line, words: [...tokens[number], ...next.map(unplaced)], joined: true});
    });
    return list;
  }

  /// Returns the issues that a text tells of, best first: {issue, symptom, line, number, marks, score}; none where nothing
  /// fits well enough.
  function search(index, text) {
    const hits = new Map();
    for (const view of windows(text)) {
      const candidates = new Map();
      for (const word of new Set(view.words.map((each) => each.word))) {
        const weight = index.weights.get(word);
        if (weight === undefined) continue;
        for (const entry of index.entriesWith.get(word)) candidates.set(entry, (candidates.get(entry) || 0) + weight * entry.times.get(word));
      }
      for (const [entry, most] of candidates) {
        if (most < leastShare * entry.total) continue;
        const {share, run} = align(entry, view.words);
        const told = share * entry.total;
        // Most of the words must be there, in order, and tell something; scattered ones nearly all.
        if (share < leastShare || told < 1.2 || (run < 0.34 && share < 0.85)) continue;
        const quality = share * share * (0.55 + 0.45 * run);
        const score = quality * (1 - Math.exp(-told / 4)) * (view.joined ? 0.97 : 1);
        if (score < leastScore) continue;
        const known = hits.get(entry.number);
        if (!known || score > known.score + 1e-9) {
          hits.set(entry.number, {issue: entry.issue, symptom: entry.symptom, rank: entry.rank, line: view.line,
            number: view.number, marks: marks(entry, view.words.filter((each) => each.start >= 0)), score});
        }
      }
    }
    const list = [...hits.values()].sort((a, b) => b.score - a.score || a.rank - b.rank || (a.issue.id < b.issue.id ? -1 : 1));
    return list.filter((hit) => hit.score >= 0.6 * list[0].score).slice(0, mostResults);
  }

  /// For a few words that somebody types: the issues that have words that begin with them, in a symptom, the title or the
  /// name; one must tell something.
  function keywords(index, text) {
    const line = plain(text.trim());
    const wanted = words(line).map((each) => each.word);
    if (line.length > 80 || line.includes('\n') || wanted.every((word) => noise.has(word) || isNumber(word))) return [];
    const hits = new Map();
    for (const entry of index.entries) {
      const around = words(`${entry.issue.title} ${entry.issue.id.replace(/-/g, ' ')}`).map((each) => each.word);
      const begins = (list) => (word) => list.some((each) => each.startsWith(word));
      const here = wanted.filter(begins(entry.words)).length;
      const isThere = wanted.every(begins([...entry.words, ...around]));
      const known = hits.get(entry.number);
      if (!isThere || (known && known.score >= here)) continue;
      const marked = words(entry.symptom).filter((each) => wanted.some((word) => each.word.startsWith(word)));
      hits.set(entry.number, {issue: entry.issue, symptom: entry.symptom, rank: entry.rank, line: entry.symptom,
        number: 0, marks: marked.map(({start, end}) => ({start, end})), score: here});
    }
    return [...hits.values()].sort((a, b) => b.score - a.score || a.rank - b.rank).slice(0, mostResults);
  }

  /// What the page shows: the issues that a log tells of, else those that have the words.
  function find(index, text) {
    const hits = search(index, text);
    return hits.length > 0 ? hits : keywords(index, text);
  }

  return {prepare, search, find, words};
})();

(() => {
  const box = document.getElementById('search-text');
  const state = document.getElementById('search-state');
  const results = document.getElementById('search-results');
  const index = torchpatchSearch.prepare(torchpatchIssues);
  document.getElementById('search').hidden = false;

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  /// The line with its marked words; of a long line what is around the first.
  function markedLine(hit) {
    const from = hit.marks.length > 0 && hit.marks[0].start > 80 ? hit.marks[0].start - 40 : 0;
    const code = element('code', {}, from > 0 ? '…' : '');
    let at = from;
    for (const {start, end} of hit.marks) {
      code.append(hit.line.slice(at, start), element('mark', {textContent: hit.line.slice(start, end)}));
      at = end;
    }
    code.append(hit.line.slice(at, at + 200), at + 200 < hit.line.length ? '…' : '');
    return code;
  }

  function item(hit, lines) {
    const link = element('a', {href: `issues/${hit.issue.id}.html`, textContent: hit.issue.title});
    const where = lines > 1 ? [element('span', {className: 'small soft', textContent: `line ${hit.number + 1}`}), ' '] : [];
    return element('li', {}, link, ' ', element('span', {className: `tag ${hit.issue.tone}`, textContent: hit.issue.kind}),
      element('p', {className: 'hit'}, ...where, markedLine(hit)));
  }

  function show() {
    const text = box.value;
    const isEmpty = text.trim() === '';
    const hits = isEmpty ? [] : torchpatchSearch.find(index, text);
    const lines = text.trim().split('\n').length;
    results.replaceChildren(...hits.map((hit) => item(hit, lines)));
    if (isEmpty) {
      state.textContent = '';
    } else if (hits.length === 0) {
      state.textContent = 'No known issue has this text. Try the first line that says “error”, as it stands in the log.';
    } else {
      state.textContent = hits.length === 1 ? '1 known issue' : `${hits.length} known issues, the best match first`;
    }
  }

  const links = () => [...results.querySelectorAll('a')];

  /// The arrow keys walk from the box through the results and back.
  function walk(event) {
    const list = links();
    const at = list.indexOf(document.activeElement);
    if (event.key === 'ArrowDown' && at + 1 < list.length) {
      list[at + 1].focus();
    } else if (event.key === 'ArrowUp' && at >= 0) {
      (at === 0 ? box : list[at - 1]).focus();
    } else {
      return;
    }
    event.preventDefault();
  }

  let timer = 0;
  box.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(show, box.value.length > 5000 ? 150 : 0);
  });
  box.addEventListener('keydown', (event) => {
    const isAtEnd = box.selectionStart === box.value.length;
    if (event.key === 'ArrowDown' && isAtEnd) walk(event);
    if (event.key === 'Enter' && !event.shiftKey && !box.value.includes('\n') && links().length > 0) {
      event.preventDefault();
      show();
      links()[0].click();
    }
    if (event.key === 'Escape') {
      box.value = '';
      show();
    }
  });
  results.addEventListener('keydown', walk);
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box.focus();
  });
  /// Takes what a link asks for: index.html#q=TEXT.
  function ask() {
    const asked = /^#q=(.*)$/.exec(location.hash);
    if (!asked) return;
    try {
      box.value = decodeURIComponent(asked[1]);
    } catch {
      box.value = asked[1];
    }
    show();
  }
  ask();
  window.addEventListener('hashchange', ask);
  // The browser may bring the text back when the reader returns from an issue.
  window.addEventListener('pageshow', show);
})();
