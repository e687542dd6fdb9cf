// SPDX-License-Identifier: BSD-3-Clause
// The box that takes an error: search-engine.js finds the known issues of it, in a worker where the browser has one, else
// in slices; `torchpatchIssues` and `torchpatchIndex` (search-data.js) have the texts to look for. Both files come when the
// box is first used, so that a page that is only read does without them.
'use strict';

(() => {
  const box = document.getElementById('search-text');
  const state = document.getElementById('search-state');
  const results = document.getElementById('search-results');
  const form = document.getElementById('search');
  const {root} = form.dataset;
  let engine, index, issueOf; // once they are here
  const longText = 20000; // more is not searched at once
  const sliceTime = 20; // milliseconds
  let asked = 0; // searches so far: the answer to an older one is not shown
  form.hidden = false;

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  /// Returns a function that searches a text in a worker, or null where the browser has none for a page like this.
  function startWorker() {
    const source = `'use strict';
      const engine = (${torchpatchEngine})();
      let index = null;
      onmessage = ({data}) => {
        if (data.index) index = engine.prepare(data.index);
        if (data.text === undefined) return;
        const search = engine.search(index, data.text);
        let step = search.next();
        while (!step.done) step = search.next();
        postMessage({number: data.number, matches: step.value});
      };`;
    try {
      const worker = new Worker(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
      worker.postMessage({index: torchpatchIndex});
      return worker;
    } catch {
      return null;
    }
  }

  /// Runs a script of the site.
  function load(name) {
    return new Promise((done, failed) => {
      document.head.append(element('script', {src: root + name, onload: done, onerror: failed}));
    });
  }

  let coming = null;

  /// Calls `then` when the engine and its texts are here, at once where they are.
  function ready(then) {
    if (issueOf) {
      then();
      return;
    }
    coming ??= Promise.all([load('search-engine.js'), load('search-data.js')]).then(() => {
      engine = torchpatchEngine();
      index = engine.prepare(torchpatchIndex);
      issueOf = new Map(torchpatchIssues.map((issue) => [issue.id, issue]));
    });
    coming.then(then, () => { state.textContent = 'The texts to look for are not here: search-data.js did not load.'; });
  }

  let worker; // undefined: not tried yet

  /// Calls `then` with the issues that a text tells of, at once where it is short.
  function search(text, then) {
    asked += 1;
    const number = asked;
    const steps = engine.search(index, text, torchpatchIssues);
    if (text.length <= longText) {
      let step = steps.next();
      while (!step.done) step = steps.next();
      then(step.value);
      return;
    }
    const inSlices = () => {
      if (number !== asked) return;
      const end = performance.now() + sliceTime;
      let step = steps.next();
      while (!step.done && performance.now() < end) step = steps.next();
      if (step.done) then(step.value);
      else setTimeout(inSlices);
    };
    if (worker === undefined) worker = startWorker();
    if (worker === null) {
      inSlices();
      return;
    }
    worker.onmessage = ({data}) => {
      if (data.number === asked) then(data.matches);
    };
    worker.onerror = () => {
      worker = null;
      inSlices();
    };
    worker.postMessage({number, text});
  }

  /// The line with its marked words; of a long line what is around the first.
  function markedLine(hit) {
    // Of what was typed as a keyword, the text that has it.
    const line = hit.score === undefined ? hit.symptom : hit.line;
    const marks = engine.marks(hit.score === undefined ? hit.line : hit.symptom, line);
    const from = marks.length > 0 && marks[0].start > 80 ? marks[0].start - 40 : 0;
    const code = element('code', {}, from > 0 ? '…' : '');
    let at = from;
    for (const {start, end} of marks) {
      code.append(line.slice(at, start), element('mark', {textContent: line.slice(start, end)}));
      at = end;
    }
    code.append(line.slice(at, at + 200), at + 200 < line.length ? '…' : '');
    return code;
  }

  function item(hit, lines) {
    const issue = issueOf.get(hit.issue);
    const link = element('a', {href: `${root}issues/${issue.id}.html`, textContent: issue.title});
    const where = lines > 1 ? [element('span', {className: 'small soft', textContent: `line ${hit.number}`}), ' '] : [];
    const doubt = hit.confidence === 'match' ? [] : [' ', element('span', {className: 'tag caution', textContent: 'possible'})];
    return element('li', {}, link, ' ', element('span', {className: `tag ${issue.tone}`, textContent: issue.kind}), ...doubt,
      element('p', {className: 'hit'}, ...where, markedLine(hit)));
  }

  function present(hits, text) {
    const lines = /\S[^\n]*\n\s*\S/.test(text) ? 2 : 1;
    results.replaceChildren(...hits.map((hit) => item(hit, lines)));
    if (hits.length > 0) {
      state.textContent = hits.length === 1 ? '1 known issue' : `${hits.length} known issues, the best match first`;
      return;
    }
    state.replaceChildren('No known issue has this text. Try the first line that says “error”, as it stands in the log, or look through the ',
      element('a', {href: `${root}symptoms.html`, textContent: 'symptoms'}), '. ', element('code', {textContent: 'torchpatch doctor'}),
      ' compares a machine with what a build asks of it.');
  }

  function show() {
    const text = box.value;
    if (!/\S/.test(text)) {
      asked += 1;
      results.replaceChildren();
      state.textContent = '';
      return;
    }
    form.classList.add('open');
    ready(() => {
      if (text === box.value) search(text, (hits) => present(hits, text));
    });
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

  // Once larger it stays so: what moved while a link is clicked would be missed.
  box.addEventListener('focus', () => {
    form.classList.add('open');
    ready(() => {});
  });
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
